#include "tests/milter/daemon/daemon_fixture.h"
