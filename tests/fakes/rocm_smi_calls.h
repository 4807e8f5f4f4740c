// The calls of librocm_smi64.so that its fake has, one CALL(name, arguments...) each: the fake
// declares them from here, and a guard compares them with AMD's own header. All give a code.
CALL(rsmi_init, std::uint64_t flags)
CALL(rsmi_shut_down)
CALL(rsmi_num_monitor_devices, std::uint32_t* out)
CALL(rsmi_dev_pci_id_get, std::uint32_t device, std::uint64_t* out)
CALL(rsmi_dev_id_get, std::uint32_t device, std::uint16_t* out)
CALL(rsmi_dev_vendor_id_get, std::uint32_t device, std::uint16_t* out)
CALL(rsmi_dev_name_get, std::uint32_t device, char* buffer, std::size_t size)
CALL(rsmi_dev_unique_id_get, std::uint32_t device, std::uint64_t* out)
CALL(rsmi_dev_memory_total_get, std::uint32_t device, MemoryType type, std::uint64_t* out)
CALL(rsmi_dev_memory_usage_get, std::uint32_t device, MemoryType type, std::uint64_t* out)
CALL(rsmi_dev_power_ave_get, std::uint32_t device, std::uint32_t sensor, std::uint64_t* out)
CALL(rsmi_dev_energy_count_get, std::uint32_t device, std::uint64_t* counter, float* resolution,
     std::uint64_t* time)
CALL(rsmi_dev_busy_percent_get, std::uint32_t device, std::uint32_t* out)
CALL(rsmi_version_get, Version* out)
CALL(rsmi_version_str_get, Component component, char* buffer, std::uint32_t size)
CALL(rsmi_status_string, Status status, const char** out)
