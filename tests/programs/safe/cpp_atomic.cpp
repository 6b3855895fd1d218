// std::atomic: operators, exchange, compare_exchange, fetch_*.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> counter{0};
static std::atomic<bool> claimed{false};

int main()
{
    std::atomic<unsigned char> small{255};
    small++;
    assert(small == 0);
    int expected = 5;
    assert(!counter.compare_exchange_strong(expected, 1) && expected == 0);
    assert(counter.fetch_or(6) == 0 && counter.exchange(0, std::memory_order_acq_rel) == 6);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    int winners[2] = {0, 0};
    auto run = [](int *won) {
        counter.fetch_add(2, std::memory_order_relaxed);
        *won = !claimed.exchange(true);
    };
    std::thread a(run, &winners[0]);
    std::thread b(run, &winners[1]);
    a.join();
    b.join();
    assert(counter == 4);
    assert(winners[0] + winners[1] == 1);
}
