import { bytesOf, type RandomBytes } from './bytes.js'

/** The protocol's, which the server hashes with the key. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The constant of a round is the root of its number, as 2 bits before the point and 30 behind it. */
const ROUNDS = [2, 3, 5, 10]

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** The SHA-1 of a text of 60 characters, which padding and the length extend to two blocks of 64 bytes. */
function sha1(text: string): Uint8Array {
  const data = new DataView(bytesOf(`${text}\x80${'\0'.repeat(65)}\x01\xe0`).buffer)
  const words: number[] = []
  let state: [number, number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < 128; block += 64) {
    let [a, b, c, d, e] = state
    for (let i = 0; i < 80; i++) {
      const round = Math.floor(i / 20)
      words[i] =
        i < 16
          ? data.getInt32(block + i * 4)
          : rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1)
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (d & (b | c)) : b ^ c ^ d
      const next = (rotate(a, 5) + mixed + e + words[i]! + ((Math.sqrt(ROUNDS[round]!) * 2 ** 30) | 0)) | 0
      ;[a, b, c, d, e] = [next, a, rotate(b, 30), c, d]
    }
    const [A, B, C, D, E] = state
    state = [(A + a) | 0, (B + b) | 0, (C + c) | 0, (D + d) | 0, (E + e) | 0]
  }
  return Uint8Array.from({ length: 20 }, (_, at) => state[at >> 2]! >> (24 - 8 * (at & 3)))
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Four digits for three bytes. A digit without bits is `=`. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let digit = 0; digit < 4; digit++) {
      text += at + digit > bytes.length ? '=' : DIGITS.charAt((bits >> (18 - 6 * digit)) & 63)
    }
  }
  return text
}

/** A token of HTTP: the name of a header field, or a subprotocol. */
const TOKEN = /^[!#-'*+.\w^`|~-]+$/
/** Tabs, and all but control characters. */
const VALUE = /^[\t -~\x80-\xff]*$/

/** The status of an HTTP/1.1 head, as text; undefined for another text. */
export const statusOf = (head: string): string | undefined => /^HTTP\/1\.1 (\d{3})(?![^\r ])/.exec(head)?.[1]

/**
 * Parses the header fields of a head whose lines end with CR LF, in linear time.
 * @param head with its first line and its empty line
 * @returns the value of each lower-case name, of a repeated one joined by commas; undefined for a line that isn't HTTP
 */
function parseHeaders(head: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>()
  for (const line of head.slice(0, -4).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!TOKEN.test(name) || !VALUE.test(line)) return undefined
    const before = fields.get(name)
    fields.set(name, (before === undefined ? '' : `${before}, `) + line.slice(colon + 1).trim())
  }
  return fields
}

/** Groups: `s` of `wss`; host and port together; an IPv6 address; another host; the port; the path without `/`. */
const URL = /^ws(s?):\/\/((?:\[([\w:.]+)]|([\w.-]+))(?::(\d+))?)(?:\/|$|(?=\?))([!"$-~]*)$/i

export type Handshake = ReturnType<typeof createHandshake>

/**
 * The opening handshake of one connection.
 * @throws SyntaxError for an invalid URL or subprotocols
 */
export function createHandshake(url: string, protocols: readonly string[], randomBytes: RandomBytes) {
  const [, s, authority, address, name, digits, path] = URL.exec(url) ?? []
  const secure = s !== ''
  const port = Number(digits ?? (secure ? 443 : 80))
  if (authority === undefined || port > 65535) {
    throw new SyntaxError(`The URL must be ws:// or wss:// with a host, in ASCII, without a fragment; got ${url}`)
  }
  protocols.forEach((protocol, at) => {
    if (TOKEN.test(protocol) && protocols.indexOf(protocol) === at) return
    throw new SyntaxError(`Subprotocols must be different tokens of HTTP; got "${protocol}"`)
  })
  const key = base64(randomBytes(16))
  const lines = [
    `GET /${path} HTTP/1.1`,
    `Host: ${authority}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  if (protocols.length > 0) lines.push(`Sec-WebSocket-Protocol: ${protocols.join(', ')}`)
  let chosen = ''
  return {
    target: { secure, host: address ?? name!, port },
    request: bytesOf(`${lines.join('\r\n')}\r\n\r\n`),
    /** The subprotocol that the server chose, or ''. */
    protocol: () => chosen,
    /**
     * Checks the server's answer by RFC 6455, section 4.1. Like pages, it refuses a server that ignores the requested
     * subprotocols.
     * @param head with its status line and its empty line
     * @returns true, or the problem
     */
    check(head: string): true | string {
      const fields = parseHeaders(head)
      if (fields === undefined) return 'a header line that is not HTTP'
      const value = (name: string): string => fields.get(name) ?? ''
      chosen = value('sec-websocket-protocol')
      const checks: readonly (readonly [isWrong: boolean, problem: string])[] = [
        [statusOf(head) !== '101', 'the status'],
        [value('upgrade').toLowerCase() !== 'websocket', 'the header Upgrade'],
        [!/(^|,)[\t ]*upgrade[\t ]*(,|$)/i.test(value('connection')), 'the header Connection'],
        [value('sec-websocket-accept') !== base64(sha1(key + GUID)), 'the header Sec-WebSocket-Accept'],
        [fields.has('sec-websocket-extensions'), 'an extension, and none was asked for'],
        [
          fields.has('sec-websocket-protocol') ? !protocols.includes(chosen) : protocols.length > 0,
          `the subprotocol "${chosen}"`,
        ],
      ]
      return checks.find(([isWrong]) => isWrong)?.[1] ?? true
    },
  }
}
