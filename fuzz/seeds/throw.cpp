struct S { virtual ~S(); virtual int g(); int v; };
int f(S *s) { try { return s->g(); } catch (int e) { return e; } catch (...) { delete s; throw; } }
static int init = f(nullptr);
