/** Payloads: JSON like a sidecar's, with a few characters beyond ASCII in `unicode`, and bytes. */
const ASCII = '{"name":"simple-game-server","port":7000}'
const BEYOND = '{"name":"spel-värd-日本","players":["Zoë","Łukasz"],"port":7000}'

export const SIZES = { '16 B': 16, '1 KiB': 1024, '64 KiB': 65536, '1 MiB': 1 << 20 }

export const payloads = {
  text: (size) => Buffer.from(ASCII.repeat(size / 40 + 1)).subarray(0, size),
  unicode: (size) => {
    const text = Buffer.from(BEYOND.repeat(size / 40 + 1))
    let end = size
    while ((text[end] & 0xc0) === 0x80) end--
    return Buffer.concat([text.subarray(0, end), Buffer.alloc(size - end, '.')])
  },
  binary: (size) => Buffer.from(Uint8Array.from({ length: size }, (_, i) => i * 31)),
}
