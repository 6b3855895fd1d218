// Whether options end at the first argument that is none depends on POSIXLY_CORRECT.
#include <assert.h>
#include <unistd.h>

int main(void) {
    char *arguments[] = {"program", "file", "-a", 0};
    int option = getopt(3, arguments, "a");
    assert(option == -1); //~ BUG(assertion)
}
