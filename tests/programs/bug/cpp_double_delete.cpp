// Two owners of a raw pointer.
struct owner {
    int *p;
    explicit owner(int *q) : p(q) {}
    ~owner() { delete p; } //~ BUG(memory)
};

int main()
{
    int *p = new int(3);
    owner first(p);
    owner second(p);
}
