//! Functions of the C library, whose names a file that includes their header cannot declare otherwise, and that a program which
//! defines them for the linker replaces.

use super::CRenamed;
use crate::family_texts::FamilyTexts;
use crate::rename_hazard::RenameHazard;
use symd_base::RelPath;

/// Functions by the headers that declare them: those of C11, and the most used ones of POSIX.
const FUNCTIONS: [(&str, &str); 14] = [
    (
        "stdio.h",
        "clearerr fclose fdopen feof ferror fflush fgetc fgetpos fgets fileno fopen fprintf fputc fputs fread freopen fscanf fseek \
         fsetpos ftell fwrite getc getchar getline gets pclose perror popen printf putc putchar puts remove rename rewind scanf setbuf \
         setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vprintf vsnprintf vsprintf",
    ),
    (
        "stdlib.h",
        "abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs lldiv \
         malloc mblen mbstowcs mbtowc mkstemp putenv qsort quick_exit rand random realloc realpath setenv srand srandom strtod strtof \
         strtol strtold strtoll strtoul strtoull system unsetenv wcstombs wctomb",
    ),
    (
        "string.h",
        "memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strdup strerror strlen strncat strncmp \
         strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r strxfrm",
    ),
    ("strings.h", "bcmp bcopy bzero ffs index rindex strcasecmp strncasecmp"),
    (
        "ctype.h",
        "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper",
    ),
    (
        "math.h",
        "acos asin atan atan2 cbrt ceil copysign cos cosh erf exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 \
         j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow remainder remquo \
         rint round scalbn sin sinh sqrt tan tanh tgamma trunc y0 y1 yn",
    ),
    (
        "time.h",
        "asctime clock clock_getres clock_gettime clock_settime ctime difftime gmtime gmtime_r localtime localtime_r mktime nanosleep \
         strftime strptime time timespec_get tzset",
    ),
    ("signal.h", "kill raise sigaction signal sigprocmask"),
    ("setjmp.h", "longjmp"),
    ("locale.h", "localeconv setlocale"),
    (
        "unistd.h",
        "access alarm brk chdir chown close confstr crypt daemon dup dup2 encrypt environ execl execv execve execvp fork fsync \
         ftruncate getcwd getgid getopt getpid getppid getuid isatty link lseek pause pipe pread pwrite read readlink rmdir sbrk setuid \
         sleep swab symlink sync truncate ttyname unlink usleep vfork write",
    ),
    (
        "sys/socket.h",
        "accept bind connect getpeername getsockname listen recv recvfrom recvmsg send sendmsg sendto shutdown socket",
    ),
    ("fcntl.h", "creat fcntl open openat"),
    ("sys/stat.h", "chmod fchmod fstat lstat mkdir mkfifo mknod stat umask"),
];

pub(super) fn find(symbol: &CRenamed, texts: &FamilyTexts) -> Option<RenameHazard> {
    let (header, _) =
        FUNCTIONS.iter().find(|(_, names)| names.split_whitespace().any(|one| one == symbol.new))?;
    if symbol.is_type() || !symbol.is_global() {
        return None;
    }
    let is_of_cpp = |path: &RelPath| matches!(path.extension(), Some("cpp" | "cc" | "cxx" | "hpp"));
    let is_c = symbol.here.language.grammar == "c" && !texts.paths().any(is_of_cpp);
    let stem = header.trim_end_matches(".h");
    let mut places = Vec::new();
    for one in texts.iter() {
        let is_header = matches!(one.path.extension(), Some("h" | "hpp" | "hh"));
        let is_near = is_header || one.words(&symbol.old).next().is_some();
        for line in [format!("<{header}>"), format!("<c{stem}>")] {
            for (at, sign) in one.text.match_indices(&line).filter(|_| is_near) {
                places.push(one.place(at, sign.len()));
            }
        }
    }
    let text = format!("<{header}> declares a function '{}'", symbol.new);
    if is_c && !places.is_empty() {
        return RenameHazard::breaks_at(text, places);
    }
    if !places.is_empty() {
        // C++ allows both, with other parameters.
        return RenameHazard::doubt(text, places);
    }
    let is_linked = is_c && symbol.is_function() && !symbol.is_static();
    let text = format!("{text}, which this one would replace for the whole program");
    is_linked.then(|| RenameHazard::breaks(text))
}
