/** The parts of a player's offer that the host needs. */
export interface Offer {
  readonly mid: string
  readonly ufrag: string
  readonly pwd: string
  readonly fingerprint: string
  readonly setup: 'actpass' | 'active'
  /** The longest message that the player takes, in bytes. */
  readonly maxMessage: number
}

/** A browser's offer has some 600 characters without candidates, and rarely 2,000 with them. */
const MOST_OFFER_CHARACTERS = 16_384

/** The standard's default. */
const DEFAULT_MAX_MESSAGE = 65_536

const ATTRIBUTES = {
  mid: /^a=mid:([\w-]{1,32})$/m,
  ufrag: /^a=ice-ufrag:([A-Za-z0-9+/]{4,256})$/m,
  pwd: /^a=ice-pwd:([A-Za-z0-9+/]{22,256})$/m,
  fingerprint: /^a=fingerprint:sha-256 ([0-9A-F]{2}(?::[0-9A-F]{2}){31})$/im,
  setup: /^a=setup:(actpass|active)$/m,
  maxMessage: /^a=max-message-size:(\d{1,15})$/m,
} as const

const DATA_CHANNELS = /^m=application \d{1,5} UDP\/DTLS\/SCTP webrtc-datachannel$/m

/**
 * Reads an offer, and accepts only offers for data channels alone. The host never
 * passes on the player's text: `writeOffer` writes a new offer from the parsed parts.
 */
export function readOffer(text: string): Offer | undefined {
  if (text.length > MOST_OFFER_CHARACTERS) return undefined
  const lines = text.replaceAll('\r\n', '\n')
  if (!DATA_CHANNELS.test(lines) || lines.split('\nm=').length > 2) return undefined
  const read = (name: keyof typeof ATTRIBUTES): string | undefined => ATTRIBUTES[name].exec(lines)?.[1]
  const [mid, ufrag, pwd, fingerprint, setup] = (['mid', 'ufrag', 'pwd', 'fingerprint', 'setup'] as const).map(read)
  if (!mid || !ufrag || !pwd || !fingerprint || !setup) return undefined
  const maxMessage = Number(read('maxMessage') ?? DEFAULT_MAX_MESSAGE)
  return { mid, ufrag, pwd, fingerprint: fingerprint.toUpperCase(), setup: setup as Offer['setup'], maxMessage }
}

/**
 * An offer without candidates. The host never sends to an address that a player names: players could use it to
 * scan ports of the cluster. The host answers players who reach its own address with the right credentials.
 */
export const writeOffer = ({ mid, ufrag, pwd, fingerprint, setup, maxMessage }: Offer): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    'a=ice-options:ice2,trickle',
    `a=fingerprint:sha-256 ${fingerprint}`,
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    `a=mid:${mid}`,
    'a=sendrecv',
    'a=sctp-port:5000',
    `a=max-message-size:${maxMessage}`,
    `a=setup:${setup}`,
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    '',
  ].join('\r\n')

/** The host's answer with the limit of messages, and without the addresses of its own network. */
export const rewriteAnswer = (answer: string, maxMessage: number): string =>
  answer
    .replace(/^a=(candidate:.*|end-of-candidates)\r\n/gm, '')
    .replace(/^a=max-message-size:\d+/m, `a=max-message-size:${maxMessage}`)
    .replace(/^m=application \d+/m, 'm=application 9')
    .replace(/^(c|o)=(.*) IP[46] \S+/gm, '$1=$2 IP4 0.0.0.0')

/** One way to reach the host. The first in a list is preferred. */
export const writeCandidate = (address: string, port: number, index = 0): string =>
  `candidate:${index + 1} 1 UDP ${2_122_317_823 - index} ${address} ${port} typ host`
