// Templates, references, operators, default arguments, constexpr, a fixed-size container.
#include <cassert>
#include <cstddef>

template <typename T, std::size_t N> class stack {
    T items[N];
    std::size_t used = 0;

public:
    bool push(const T &t) { return used < N ? (items[used++] = t, true) : false; }
    T pop() { return items[--used]; }
    std::size_t size() const { return used; }
};

template <typename T> constexpr T larger(T a, T b) { return a < b ? b : a; }

struct vec {
    int x, y;
    vec operator+(const vec &o) const { return {x + o.x, y + o.y}; }
};

int main()
{
    stack<vec, 2> s;
    assert(s.push({1, 2}) && s.push({3, 4}) && !s.push({5, 6}));
    vec sum = s.pop() + s.pop();
    assert(sum.x == 4 && sum.y == 6 && s.size() == 0);
    static_assert(larger(3, 8) == 8);
    assert(larger('a', 'b') == 'b');
}
