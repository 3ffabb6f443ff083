# Confines this process with Landlock (landlock(7)) and a seccomp filter, then becomes another program:
#   perl landlock.pl x64|arm64 FILTER_FD|- (read|write PATH)... -- PROGRAM [ARGUMENT...]
# Allows only the named files and folders. A `read` folder may contain programs, a `write` folder may not.
use strict;
use warnings;

# System calls (linux/unistd.h). Those of Landlock have the same numbers on all processors.
my %PRCTL = (x64 => 157, arm64 => 167);
my %CAPSET = (x64 => 126, arm64 => 91);
my ($CREATE_RULESET, $ADD_RULE, $RESTRICT_SELF) = (444, 445, 446);

# LANDLOCK_ACCESS_FS_* of linux/landlock.h.
my ($EXECUTE, $WRITE_FILE, $READ_FILE, $READ_DIR) = (1, 2, 4, 8);
my ($REMOVE_DIR, $REMOVE_FILE, $MAKE_DIR, $MAKE_REG) = (16, 32, 128, 256);
my ($REFER, $TRUNCATE) = (0x2000, 0x4000);
my $ON_FILES = $WRITE_FILE | $READ_FILE | $TRUNCATE;
my %ALLOWED = (
  read  => $EXECUTE | $READ_FILE | $READ_DIR,
  write => $READ_FILE | $READ_DIR | $WRITE_FILE | $REMOVE_DIR | $REMOVE_FILE | $MAKE_DIR | $MAKE_REG | $REFER | $TRUNCATE,
);
# All accesses that each version of Landlock checks. Later versions check at least the same.
my @CHECKED = (0, 0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff);
# LANDLOCK_ACCESS_NET_BIND_TCP and CONNECT_TCP, LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and SIGNAL.
my ($ALL_TCP, $ALL_SCOPES) = (3, 3);

my $PATH_BENEATH = 1;
my $O_PATH = 010000000;
my ($PR_SET_PDEATHSIG, $PR_SET_SECCOMP, $PR_CAPBSET_DROP, $PR_SET_NO_NEW_PRIVS, $PR_CAP_AMBIENT) = (1, 22, 24, 38, 47);
my $SIGKILL = 9;

my ($arch, $filter_fd, @rest) = @ARGV;
my $prctl = $PRCTL{$arch} or fail("expected x64 or arm64, got $arch");
my %wanted = (read => [], write => []);
while (@rest and $rest[0] ne '--') {
  my ($kind, $path) = splice @rest, 0, 2;
  push @{ $wanted{$kind} }, $path;
}
shift @rest;

my $filter = $filter_fd eq '-' ? '' : read_filter($filter_fd);
must(syscall($prctl, $PR_SET_PDEATHSIG, $SIGKILL, 0, 0, 0), 'PR_SET_PDEATHSIG');
must(syscall($prctl, $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 'PR_SET_NO_NEW_PRIVS');
drop_capabilities();
restrict_files();
apply_filter($filter) if $filter ne '';
exec { $rest[0] } @rest or fail("could not start $rest[0]: $!");

sub read_filter {
  my ($fd) = @_;
  open(my $pipe, '<&=', $fd) or fail("could not read the filter: $!");
  binmode $pipe;
  local $/;
  my $bytes = <$pipe> // '';
  close $pipe;
  fail('expected a seccomp filter, got ' . length($bytes) . ' bytes') if $bytes eq '' or length($bytes) % 8;
  return $bytes;
}

# Only root has any. The bounding set keeps programs from getting them again.
sub drop_capabilities {
  syscall($prctl, $PR_CAP_AMBIENT, 4, 0, 0, 0);
  for my $capability (0 .. 63) {
    last if syscall($prctl, $PR_CAPBSET_DROP, $capability, 0, 0, 0) == -1;
  }
  my ($header, $none) = (pack('LL', 0x20080522, 0), pack('L6', (0) x 6));
  must(syscall($CAPSET{$arch}, $header, $none), 'capset');
}

sub restrict_files {
  my $version = syscall($CREATE_RULESET, 0, 0, 1);
  fail("this kernel has no Landlock, which Linux 5.13 and newer have: $!") if $version < 1;
  my $checked = $CHECKED[$version > 5 ? 5 : $version];
  my $size = $version >= 6 ? 24 : $version >= 4 ? 16 : 8;
  my $attributes = substr(pack('QQQ', $checked, $ALL_TCP, $ALL_SCOPES), 0, $size);
  my $ruleset = must(syscall($CREATE_RULESET, $attributes, $size, 0), 'landlock_create_ruleset');
  for my $kind (keys %wanted) {
    allow($ruleset, $_, $ALLOWED{$kind} & $checked) for @{ $wanted{$kind} };
  }
  must(syscall($RESTRICT_SELF, $ruleset, 0), 'landlock_restrict_self');
}

# A missing file needs no rule: the program cannot open it.
sub allow {
  my ($ruleset, $path, $access) = @_;
  sysopen(my $place, $path, $O_PATH) or return;
  $access &= $ON_FILES unless -d $path;
  my $rule = pack('Ql', $access, fileno $place);
  must(syscall($ADD_RULE, $ruleset, $PATH_BENEATH, $rule, 0), "landlock_add_rule for $path");
}

sub apply_filter {
  my ($bytes) = @_;
  my $program = pack('S x6 p', length($bytes) / 8, $bytes);
  must(syscall($prctl, $PR_SET_SECCOMP, 2, $program, 0, 0), 'PR_SET_SECCOMP');
}

sub must {
  my ($result, $step) = @_;
  fail("$step failed: $!") if $result == -1;
  return $result;
}

sub fail {
  print STDERR "landlock: $_[0]\n";
  exit 1;
}
