#include <string.h>
struct node { struct node *next; char name[12]; short s[3]; union { int i; float f; } u; };
struct node a = { 0, "hello", { 1, 2, 3 }, { 7 } }, b = { &a, "x", { 0 }, { 0 } };
_Thread_local int tls = 5;
struct node copy(struct node *n, int k) { struct node r = *n; r.s[k] = tls++; memset(r.name, k, sizeof r.name); memmove(&r, n, k); return r; }
