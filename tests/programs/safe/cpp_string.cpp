// std::string, std::map and std::set, also in threads.
#include <cassert>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

static std::mutex m;
static std::map<int, std::string> names;

static void add(int key, const std::string &name)
{
    std::lock_guard<std::mutex> guard(m);
    names[key] = name;
}

int main()
{
    std::string s = "hello";
    s += " world, longer than fits into the object";
    assert(s.substr(0, 5) == "hello" && s.size() == 45);
    std::thread t(add, 1, "one");
    add(2, "two");
    t.join();
    assert(names.size() == 2 && names[1] == "one" && names.rbegin()->second == "two");
    std::set<int> set;
    for (int i = 0; i < 10; i++)
        set.insert(i * 7 % 10);
    set.erase(0);
    set.erase(5);
    set.erase(9);
    int last = 0;
    for (int i : set) {
        assert(i > last);
        last = i;
    }
    assert(last == 8 && set.size() == 7);
}
