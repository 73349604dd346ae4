import { readFileSync } from 'node:fs'

/** Stands for the server's own port. */
const PORT = 'PORT'

/** Headers of callers that are admitted. */
export const served: readonly [what: string, ...headers: string[]][] = [
  ['localhost', 'Host: localhost:PORT'],
  ['localhost without a port', 'Host: localhost'],
  ['localhost in capitals', 'Host: LocalHost:PORT'],
  ['a forwarded port', 'Host: localhost:80'],
  ['the IPv4 loopback address', 'Host: 127.0.0.1:PORT'],
  ['the IPv6 loopback address', 'Host: [::1]:PORT'],
  ['blanks around it', 'Host: \t localhost:PORT \t'],

  ['its own origin', 'Host: localhost:PORT', 'Origin: http://localhost:PORT'],
  ['its own origin in capitals', 'Host: localhost:PORT', 'Origin: HTTP://LOCALHOST:PORT'],
  ['its own origin on the default port', 'Host: localhost', 'Origin: http://localhost:80'],

  [
    'a link on a local page',
    'Host: localhost',
    'Sec-Fetch-Site: same-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  ],
  ['an address typed in', 'Host: localhost:PORT', 'Sec-Fetch-Site: none'],
  ['its own page', 'Host: localhost:PORT', 'Sec-Fetch-Site: same-origin'],
]

/** Headers of callers that are refused, and their answers. */
export const refused: readonly [status: number, what: string, ...headers: string[]][] = [
  [403, 'a name that was re-bound', 'Host: evil.com:PORT'],
  [403, 'a name that begins with localhost', 'Host: localhost.evil.com:PORT'],
  [403, 'a name that ends in localhost', 'Host: evil.localhost:PORT'],
  [403, 'a name that resolves to loopback', 'Host: 127.0.0.1.nip.io:PORT'],
  [403, 'an address in hexadecimal', 'Host: 0x7f.1:PORT'],
  [403, 'any address', 'Host: 0.0.0.0:PORT'],
  [403, 'the IPv6 loopback address written out', 'Host: [0:0:0:0:0:0:0:1]:PORT'],
  [403, 'a mapped IPv4 address', 'Host: [::ffff:127.0.0.1]:PORT'],
  [403, 'an escaped name', 'Host: %6cocalhost:PORT'],
  [400, 'letters of another width', 'Host: \xef\xbd\x8cocalhost:PORT'],
  [400, 'a zone', 'Host: [::1%25lo]:PORT'],
  [400, 'a user', 'Host: a@localhost:PORT'],
  [400, 'a path', 'Host: localhost:PORT/x'],
  [400, 'a backslash', 'Host: localhost\\evil.com'],
  [400, 'white space', 'Host: local host'],
  [400, 'nothing', 'Host:'],
  [400, 'no Host'],
  [400, 'a port that is none', 'Host: localhost:x'],
  [400, 'an empty port', 'Host: localhost:'],
  [400, 'a list', 'Host: localhost, evil.com'],
  [403, 'a forwarded Host', 'Host: evil.com', 'X-Forwarded-Host: localhost', 'Forwarded: host=localhost'],

  [403, 'no origin of its own', 'Host: localhost:PORT', 'Origin: null'],
  [403, 'another port', 'Host: localhost:PORT', 'Origin: http://localhost:1'],
  [403, 'no port', 'Host: localhost:PORT', 'Origin: http://localhost'],
  [403, 'an IP address for the name', 'Host: localhost:PORT', 'Origin: http://127.0.0.1:PORT'],
  [403, 'https for http', 'Host: localhost:PORT', 'Origin: https://localhost:PORT'],
  [403, 'a site', 'Host: localhost:PORT', 'Origin: https://evil.com'],
  [403, 'an extension', 'Host: localhost:PORT', 'Origin: chrome-extension://abcdef'],
  [403, 'a file', 'Host: localhost:PORT', 'Origin: file://'],
  [403, 'a file on another machine', 'Host: localhost:PORT', 'Origin: file://x'],
  [400, 'a site that begins alike', 'Host: localhost:PORT', 'Origin: http://localhost:PORT.evil.com'],
  [400, 'an origin with a path', 'Host: localhost:PORT', 'Origin: http://localhost:PORT/'],
  [400, 'an origin with a user', 'Host: localhost:PORT', 'Origin: http://a@localhost:PORT'],
  [400, 'an empty origin', 'Host: localhost:PORT', 'Origin:'],
  [400, 'a list of origins', 'Host: localhost:PORT', 'Origin: http://localhost:PORT http://evil.com'],
  [400, 'two origins', 'Host: localhost', 'Origin: http://localhost', 'Origin: http://localhost'],
  [403, 'a re-bound name and its origin', 'Host: evil.com:PORT', 'Origin: http://evil.com:PORT'],

  [403, 'a cross-site fetch', 'Host: localhost:PORT', 'Sec-Fetch-Site: cross-site'],
  [403, 'a cross-site link', 'Host: localhost', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
  [403, 'a local image', 'Host: localhost:PORT', 'Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: no-cors'],
  [
    403,
    'a frame in another local page',
    'Host: localhost:PORT',
    'Sec-Fetch-Site: same-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: iframe',
  ],
]

export const filled = (texts: readonly string[], port: number): string[] =>
  texts.map((text) => text.replaceAll(PORT, String(port)))

/**
 * What browsers sent when a stranger's page tried everything that it can, as it was recorded: which page and how, the
 * method, and the headers beside those that always come.
 */
interface Recording {
  readonly always: readonly string[]
  readonly requests: readonly (readonly [name: string, method: string, ...headers: string[]])[]
}

const fixture = new URL('../fixtures/foreign-pages.json', import.meta.url)
export const browsers = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, Recording>

/** The request of a followed link, which reveals nothing to a page and changes nothing. */
export const isLink = (method: string, headers: readonly string[]): boolean =>
  method === 'GET' && headers.includes('Sec-Fetch-Dest: document') && headers.includes('Sec-Fetch-Site: same-site')

export const isUpgrade = (headers: readonly string[]): boolean => headers.some((header) => /^upgrade:/i.test(header))

/** The headers of a recorded request, as one to this port. */
export const pageHeaders = (port: number, { always }: Recording, own: readonly string[]): string[] => {
  const key = isUpgrade(own) ? ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='] : []
  const headers = [`Host: 127.0.0.1:${port}`, ...always, ...own, ...key]
  return headers.map((header) => header.replace(':PAGE', ':5173'))
}
