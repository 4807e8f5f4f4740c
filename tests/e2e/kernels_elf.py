# Knows: what the tests must see of an ELF file (.so, cubin, AMD code object): its symbols, and the
# kernel descriptors of AMD. Does not know kernels or compilers.
import struct


class Elf:
    """A 64-bit little-endian ELF file. `symbols` are (name, type, section number, value)."""

    FUNCTION, OBJECT, TLS, FILE, SECTION = 2, 1, 6, 4, 3

    def __init__(self, path):
        self.data = path.read_bytes()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: not a 64-bit little-endian ELF file")
        offset, = struct.unpack_from("<Q", self.data, 40)
        size, count, _ = struct.unpack_from("<3H", self.data, 58)
        header = "<IIQQQQIIQQ"  # name type flags addr offset size link info align entsize
        self.sections = [struct.unpack_from(header, self.data, offset + i * size)
                         for i in range(count)]
        tables = [s for s in self.sections if s[1] in (2, 11)]  # SYMTAB, DYNSYM
        self.symbols = [symbol for table in tables for symbol in self._read_symbols(table)]

    def _text(self, section, offset):
        start = self.sections[section][4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def _read_symbols(self, table):
        for at in range(table[4] + 24, table[4] + table[5], 24):  # the first is empty
            name, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
            yield self._text(table[6], name), info & 15, section, value

    def defined(self, kind):
        return {name for name, type_, section, _ in self.symbols if type_ == kind and section != 0}

    def undefined(self):
        return {name for name, _, section, _ in self.symbols if section == 0 and name}

    def bytes_at(self, address, count):
        """Content at a virtual address."""
        for _, type_, _, start, offset, size, *_ in self.sections:
            if type_ != 8 and start and start <= address < start + size:  # 8: NOBITS
                return self.data[offset + address - start:][:count]
        raise ValueError(f"no section has address {address:#x}")

    def amd_kernel(self, name):
        """Facts of the kernel descriptor `name`.kd (64 bytes):
        https://llvm.org/docs/AMDGPUUsage.html#kernel-descriptor"""
        address = next(value for symbol, _, section, value in self.symbols
                       if symbol == name + ".kd" and section != 0)
        kd = self.bytes_at(address, 64)
        scratch, = struct.unpack_from("<I", kd, 4)
        rsrc1, = struct.unpack_from("<I", kd, 48)
        return {"scratch": scratch, "round_32": rsrc1 >> 12 & 3, "denormals_32": rsrc1 >> 16 & 3}
