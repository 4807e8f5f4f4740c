# bin/dsbuild with share/dsbuild beside bin: unpacked anywhere, it finds its catalog. The libraries that a bare
# machine lacks lie in lib/dsbuild.
include(GNUInstallDirs)

# The same in the build tree: CMake would pad its RUNPATH there with empty entries, each the current folder.
set_target_properties(dsbuild PROPERTIES BUILD_WITH_INSTALL_RPATH ON
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/dsbuild")
install(TARGETS dsbuild
  RUNTIME_DEPENDENCY_SET dsbuild_libraries
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What every Linux with a C++ compiler has is left out.
install(RUNTIME_DEPENDENCY_SET dsbuild_libraries
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/dsbuild)

set(catalog "${CMAKE_INSTALL_DATADIR}/dsbuild")
install(DIRECTORY manifests ops DESTINATION ${catalog} PATTERN "README.md" EXCLUDE)
install(DIRECTORY src/runtime src/cpu DESTINATION ${catalog}/src
  FILES_MATCHING PATTERN "*.h" PATTERN "*.cpp")
install(DIRECTORY packaging/python/dsops packaging/python/deepspeed_ops_dsbuild DESTINATION ${catalog}/packaging/python
  FILES_MATCHING PATTERN "*.py")
install(FILES packaging/python/translate_hip.py DESTINATION ${catalog}/packaging/python)
install(FILES LICENSE DESTINATION ${catalog})
install(FILES packaging/python/level_shim.py DESTINATION ${catalog}/packaging/python)
install(FILES packaging/make/dsbuild.mk DESTINATION ${catalog}/make)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME dsbuild)
set(CPACK_PACKAGE_VENDOR "the dsbuild authors")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
include(CPack)
