// The calls of libcuda.so.1 that its fake has, one CALL(name, arguments...) each: the fake declares
// them from here, and a guard compares them with NVIDIA's own header. All give a code.
CALL(cuInit, unsigned flags)
CALL(cuDriverGetVersion, int* out)
CALL(cuDeviceGetCount, int* out)
CALL(cuDeviceGet, int* out, int ordinal)
CALL(cuDeviceGetAttribute, int* out, Attribute attribute, int device)
CALL(cuDeviceGetName, char* buffer, int size, int device)
CALL(cuDeviceGetUuid_v2, Uuid* out, int device)
CALL(cuDeviceGetPCIBusId, char* buffer, int size, int device)
CALL(cuDeviceTotalMem_v2, std::size_t* out, int device)
CALL(cuGetErrorName, Code code, const char** out)
