// No handler fits: a private base does not, nor does a pointer to const fit a plain one.
struct A {};
struct B : private A {};

int main()
{
    static const B b;
    try {
        throw &b; //~ BUG(abort)
    } catch (A *) {
    } catch (const A *) {
    } catch (B *) {
    }
}
