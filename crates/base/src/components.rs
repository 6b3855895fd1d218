//! Strongly connected components (Tarjan 1972), without recursion.

/// The component of each of `count` nodes. An edge between two components goes from the larger
/// number to the smaller: in a call graph, callees have smaller numbers than their callers.
pub fn components<'a, I: Iterator<Item = usize> + 'a>(
    count: usize,
    successors: impl Fn(usize) -> I,
) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let mut component = vec![NEW; count];
    let mut order = vec![NEW; count];
    let mut low = vec![0; count];
    let mut next = 0;
    let mut found = 0;
    let mut open = Vec::new();
    let mut path: Vec<(usize, I)> = Vec::new();
    for root in 0..count {
        if order[root] != NEW {
            continue;
        }
        (order[root], low[root]) = (next, next);
        next += 1;
        open.push(root);
        path.push((root, successors(root)));
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(to) if order[to] == NEW => {
                    (order[to], low[to]) = (next, next);
                    next += 1;
                    open.push(to);
                    path.push((to, successors(to)));
                }
                Some(to) => {
                    if component[to] == NEW {
                        low[node] = low[node].min(order[to]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(above, _)) = path.last() {
                        low[above] = low[above].min(low[node]);
                    }
                    if low[node] == order[node] {
                        while let Some(member) = open.pop() {
                            component[member] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_one_component_and_callees_come_first() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 4 -> 0, 5 alone
        let edges: [&[usize]; 6] = [&[1], &[2], &[1, 3], &[], &[0], &[]];
        let c = components(6, |n| edges[n].iter().copied());
        assert_eq!(c[1], c[2]);
        assert!(c[3] < c[2] && c[2] < c[0] && c[0] < c[4]);
        let mut all = c.clone();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}
