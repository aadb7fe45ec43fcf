# The Debian 12 packages that are needed; read by ./run and ./test.
build_packages="g++ cmake ninja-build libboost1.81-dev libfmt-dev libexpected-dev libsimdjson-dev nlohmann-json3-dev
  libcli11-dev libssl-dev libtomlplusplus-dev zlib1g-dev libminizip-dev libsnmp-dev libeigen3-dev"
test_packages="$build_packages libgtest-dev libbenchmark-dev ccache python3 python3-jsonschema python3-venv procps
  snmpd snmp openipmi libopenipmi-dev ipmitool prometheus"
lint_packages="clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev"
real_engine_packages="python3-pip python3-venv"
