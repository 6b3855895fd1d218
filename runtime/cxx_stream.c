/*
 * std::cout, std::cerr and std::clog, as far as programs print with them: texts, numbers, std::endl and std::flush. Other streams, input
 * and formatting are not modelled. The names are the mangled ones.
 */
#include "sleave_runtime.h"

int fprintf(void *restrict stream, const char *restrict format, ...);
extern void *stdout, *stderr;

/* Manipulators (std::hex) find a std::ios_base after the first word; what they set there does not change the output. */
struct stream {
    const void *const *table;
    void *ios[33];
};

static const void *const stream_table[] = {(const void *)offsetof(struct stream, ios), 0, 0, 0, 0};

#define STREAM {stream_table + 3, {0}}

struct stream _ZSt4cout = STREAM, _ZSt4cerr = STREAM, _ZSt4clog = STREAM;

/* std::ios_base::Init, of which every file that includes <iostream> has one */
void _ZNSt8ios_base4InitC1Ev(void *self) { (void)self; }
void _ZNSt8ios_base4InitD1Ev(void *self) { (void)self; }

static void *file_of(struct stream *stream)
{
    if (stream == &_ZSt4cout)
        return stdout;
    if (stream == &_ZSt4cerr || stream == &_ZSt4clog)
        return stderr;
    __sleave_unsupported("std::ostream other than std::cout, std::cerr and std::clog");
}

#define PRINT(name, type, format)                                                                                                      \
    struct stream *name(struct stream *stream, type value)                                                                             \
    {                                                                                                                                  \
        fprintf(file_of(stream), format, value);                                                                                       \
        return stream;                                                                                                                 \
    }

/* Members of std::ostream: operator<< */
PRINT(_ZNSolsEs, short, "%d")
PRINT(_ZNSolsEt, unsigned short, "%u")
PRINT(_ZNSolsEi, int, "%d")
PRINT(_ZNSolsEj, unsigned, "%u")
PRINT(_ZNSolsEl, long, "%ld")
PRINT(_ZNSolsEm, unsigned long, "%lu")
PRINT(_ZNSolsEx, long long, "%lld")
PRINT(_ZNSolsEy, unsigned long long, "%llu")
PRINT(_ZNSolsEb, _Bool, "%d")
PRINT(_ZNSolsEf, float, "%g")
PRINT(_ZNSolsEd, double, "%g")
PRINT(_ZNSolsEPKv, const void *, "%p")

/* Functions of namespace std: operator<< for char and text */
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, "%c")
PRINT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *, "%s")

struct string {
    const char *text;
    size_t length;
};

/* std::operator<<(std::ostream &, const std::string &) */
struct stream *_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    struct stream *stream, const struct string *string)
{
    fprintf(file_of(stream), "%s", string->text);
    return stream;
}

/* std::ostream: operator<< for manipulators of the stream and of its std::ios_base, put(char), flush(); std::endl, std::flush */
struct stream *_ZNSolsEPFRSoS_E(struct stream *stream, struct stream *(*manipulator)(struct stream *)) { return manipulator(stream); }

struct stream *_ZNSolsEPFRSt8ios_baseS0_E(struct stream *stream, void *(*manipulator)(void *))
{
    file_of(stream);
    manipulator(stream->ios);
    return stream;
}

/* std::ios_base::sync_with_stdio(bool) */
_Bool _ZNSt8ios_base15sync_with_stdioEb(_Bool sync)
{
    (void)sync;
    return 1;
}

struct stream *_ZNSo3putEc(struct stream *stream, char value)
{
    fprintf(file_of(stream), "%c", value);
    return stream;
}

struct stream *_ZNSo5flushEv(struct stream *stream)
{
    file_of(stream);
    return stream;
}

struct stream *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *stream) { return _ZNSo5flushEv(stream); }
struct stream *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *stream) { return _ZNSo3putEc(stream, '\n'); }

/* std::setw, std::setprecision */
#define IGNORED(name)                                                                                                                  \
    struct stream *name(struct stream *stream, int value)                                                                              \
    {                                                                                                                                  \
        (void)value;                                                                                                                   \
        file_of(stream);                                                                                                               \
        return stream;                                                                                                                 \
    }
IGNORED(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw)
IGNORED(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision)
