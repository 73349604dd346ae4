/** Bytes for tests: what a server may send, right or wrong. */

/** One byte for each character below 256: `latin('\xff')`. */
export const latin = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))

export const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

export const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

export const repeat = (text: string, length: number): Uint8Array => new Uint8Array(Buffer.alloc(length, latin(text)))

export interface FrameShape {
  fin?: boolean
  /** The three reserved bits as a number. */
  rsv?: number
  /** Four bytes; the payload is masked with them. */
  mask?: Uint8Array
  /** How many bytes the length takes after the second byte: by default as few as can be. */
  lengthBytes?: 0 | 2 | 8
  /** What the header says the length is, if not the payload's. */
  length?: number
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** One frame with exactly these fields, even if RFC 6455 forbids them. */
export const frame = (opcode: number, content: string | Uint8Array = '', shape: FrameShape = {}): Uint8Array => {
  const payload = typeof content === 'string' ? utf8(content) : content
  const length = shape.length ?? payload.length
  const lengthBytes = shape.lengthBytes ?? (length < 126 ? 0 : length < 65536 ? 2 : 8)
  const header = Buffer.alloc(2 + lengthBytes)
  header[0] = (shape.fin === false ? 0 : 0x80) | ((shape.rsv ?? 0) << 4) | opcode
  header[1] = (shape.mask ? 0x80 : 0) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) header.writeUInt16BE(length, 2)
  if (lengthBytes === 8) header.writeBigUInt64BE(BigInt(length), 2)
  const { mask } = shape
  return mask
    ? join(
        header,
        mask,
        payload.map((byte, i) => byte ^ mask[i % 4]!),
      )
    : join(header, payload)
}

export const text = (payload: string | Uint8Array, shape?: FrameShape): Uint8Array => frame(1, payload, shape)

export const closePayload = (code: number, reason: string | Uint8Array = ''): Uint8Array =>
  join(Uint8Array.of(code >> 8, code), typeof reason === 'string' ? utf8(reason) : reason)

/** Without a code, the payload is empty: 1005 at the receiver. */
export const close = (code?: number, reason?: string | Uint8Array): Uint8Array =>
  frame(8, code === undefined ? '' : closePayload(code, reason))

/** A message in frames of `size` bytes each, with `between` (a control frame, say) after each but the last. */
export const fragments = (opcode: number, payload: Uint8Array, size: number, between = latin('')): Uint8Array => {
  const parts: Uint8Array[] = []
  for (let at = 0; at === 0 || at < payload.length; at += size) {
    const fin = at + size >= payload.length
    parts.push(frame(at ? 0 : opcode, payload.subarray(at, at + size), { fin }), fin ? latin('') : between)
  }
  return join(...parts)
}

/** Feeds `bytes` in pieces of `size`. One buffer serves for all of them, as a host's may. */
export const feed = (push: (bytes: Uint8Array) => void, bytes: Uint8Array, size = Infinity): void => {
  if (size >= bytes.length) return push(bytes)
  const buffer = new Uint8Array(size)
  for (let at = 0; at < bytes.length; at += size) {
    const end = Math.min(bytes.length, at + size)
    for (let i = at; i < end; i++) buffer[i - at] = bytes[i]!
    push(end - at === size ? buffer : buffer.subarray(0, end - at))
  }
}

export interface ClientFrame {
  readonly opcode: number
  readonly payload: Uint8Array
}

/** Reads a client's bytes, and checks that every frame is whole, masked and as short as possible. */
export const createClientReader = (onFrame: (frame: ClientFrame) => void): ((bytes: Uint8Array) => void) => {
  let pending: Uint8Array[] = []
  let size = 0
  let wanted = 0
  const parse = (bytes: Uint8Array): number => {
    const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    if (bytes.length < 6) return 6
    const short = bytes[1]! & 0x7f
    const mask = short < 126 ? 2 : short < 127 ? 4 : 10
    if (bytes.length < mask + 4) return mask + 4
    const length = short < 126 ? short : short < 127 ? header.readUInt16BE(2) : Number(header.readBigUInt64BE(2))
    if ((bytes[0]! & 0xf0) !== 0x80) throw new Error('A client frame is fragmented or has reserved bits')
    if (bytes[1]! < 0x80) throw new Error('A client frame is not masked')
    if (length < (short < 126 ? 0 : short < 127 ? 126 : 65536)) {
      throw new Error('A client frame has a long length')
    }
    const end = mask + 4 + length
    if (bytes.length < end) return end
    const payload = bytes.slice(mask + 4, end)
    for (let i = 0; i < length; i++) payload[i]! ^= bytes[mask + (i % 4)]!
    onFrame({ opcode: bytes[0]! & 15, payload })
    const rest = bytes.subarray(end)
    pending = rest.length ? [rest] : []
    size = rest.length
    return 0
  }
  return (bytes) => {
    pending.push(bytes)
    size += bytes.length
    while (size && size >= wanted) wanted = parse(pending.length === 1 ? pending[0]! : join(...pending))
  }
}
