import { bytesOf, encodeUtf8 } from './payload.js'

/** Groups: `s` of a secure one; host and port together; an IPv6 address; another host; the port; the path without `/`. */
const URL = /^ws(s?):\/\/((?:\[([\w:.]+)]|([\w.-]+))(?::(\d+))?)(?:\/|$|(?=\?))([!"$-~]*)$/i
/** Tokens of HTTP, joined. */
const PROTOCOLS = /^([!#-'*+.\w^`|~-]+(, |$))*$/

/** The connection to open, and the request to send over it. */
export interface Opening {
  readonly target: { readonly secure: boolean; readonly host: string; readonly port: number }
  readonly request: Uint8Array
}

/**
 * @param protocols as a header has them
 * @throws SyntaxError for a URL or subprotocols that can't be used
 */
export function openingFor(url: string, protocols: string, key: string): Opening {
  const match = URL.exec(url)
  if (match === null || !PROTOCOLS.test(protocols)) throw new SyntaxError(url)
  const [, s, authority, address, name, port, path] = match
  const secure = s !== ''
  const lines = [
    `GET /${path} HTTP/1.1`,
    `Host: ${authority}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
  ]
  if (protocols !== '') lines.push(`Sec-WebSocket-Protocol: ${protocols}`)
  return {
    target: { secure, host: address ?? name!, port: Number(port ?? (secure ? 443 : 80)) },
    request: encodeUtf8(`${lines.join('\r\n')}\r\n\r\n`),
  }
}

/** The subprotocol that the server chose, '' for none; undefined if the head doesn't answer the request. */
export function protocolOf(head: string, key: string, protocols: string): string | undefined {
  const header = (name: string): string =>
    new RegExp(`\nSec-WebSocket-${name}: *(.*?)\\s*\r`, 'i').exec(head)?.[1] ?? ''
  const protocol = header('Protocol')
  const isRight =
    /^HTTP\/1\.1 101 [^]*\nUpgrade: *websocket\s/i.test(head) &&
    /\nConnection:.*\bUpgrade\b/i.test(head) &&
    header('Accept') === acceptOf(key) &&
    header('Extensions') === '' &&
    (protocol === '' || protocols.split(', ').includes(protocol))
  return isRight ? protocol : undefined
}

/** Makes a key: the base64 of 16 bytes, all random but the last bits. Digits of base 36 are digits of base64 too. */
export function createKey(random: () => number): string {
  let key = ''
  while (key.length < 21) key += Math.floor(random() * 36).toString(36)
  return `${key}A==`
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The answer that a server must give to a key: base64 of the SHA-1 of the key and the protocol's GUID. */
const acceptOf = (key: string): string => base64(sha1(key + GUID))

const ROUND_CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6]

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

type FiveWords = [number, number, number, number, number]

/** The SHA-1 of a text of 60 characters, to which padding and the length make two blocks of 64 bytes. */
function sha1(text: string): FiveWords {
  const data = new DataView(bytesOf(`${text}\x80${'\0'.repeat(65)}\x01\xe0`).buffer)
  const words: number[] = []
  let state: FiveWords = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < 128; block += 64) {
    let [a, b, c, d, e] = state
    for (let i = 0; i < 80; i++) {
      const round = Math.floor(i / 20)
      words[i] =
        i < 16
          ? data.getInt32(block + i * 4)
          : rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1)
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (d & (b | c)) : b ^ c ^ d
      const next = (rotate(a, 5) + mixed + e + words[i]! + ROUND_CONSTANTS[round]!) | 0
      ;[a, b, c, d, e] = [next, a, rotate(b, 30), c, d]
    }
    const [A, B, C, D, E] = state
    state = [(A + a) | 0, (B + b) | 0, (C + c) | 0, (D + d) | 0, (E + e) | 0]
  }
  return state
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The base64 of five words: their 160 bits make 26 digits of six bits and one of four. */
function base64(words: readonly number[]): string {
  let text = ''
  for (let bit = 0; bit < 160; bit += 6) {
    const word = Math.floor(bit / 32)
    const offset = bit % 32
    // A digit may begin in one word and end in the next.
    const rest = offset > 26 ? (words[word + 1] ?? 0) >>> (32 - offset) : 0
    text += DIGITS.charAt(((words[word]! << offset) | rest) >>> 26)
  }
  return `${text}=`
}
