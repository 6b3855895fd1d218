// sleave: --run 'scale(s, n)' --run 'scale(s, n)'
// expect: bug (division-by-zero)
// A pointer to an abstract class points to an object of a class that derives from it.
struct Shape {
    virtual int scale(int by) = 0;
    virtual ~Shape() {}
};

struct Square : Shape {
    int side;
    Square();
    int scale(int by) override;
};

Square::Square() : side(1) {}

int Square::scale(int by)
{
    return side % by;
}

int scale(Shape *s, int n)
{
    return s != nullptr ? s->scale(n) : 0;
}
