import { longestTimer } from '../protocol/names.js'
import { isNetwork } from '../protocol/networks.js'

/** A TCP port; 0 for any. */
export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (value > 65_535) throw new Error('It must be a whole number from 0 to 65535.')
  return value
}

/** A range of TCP ports, such as `7000-8000`, or a single one. */
export function portRange(text: string): readonly [number, number] {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text)
  const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
  if (match === null || first < 1 || last > 65_535) throw new Error('It must be a range of ports such as 7000-8000.')
  if (first > last) throw new Error(`It begins after its end; give ${last}-${first}.`)
  return [first, last]
}

/** A whole number from 0. */
export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('It must be a whole number of at least 0.')
  return Number(text)
}

/** Seconds, also fractions, up to the longest time that a timer can wait. */
export function seconds(text: string): number {
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value * 1000 > longestTimer) {
    throw new Error('It must be a number of seconds from 0 to 2147483.')
  }
  return value
}

/** Seconds, more than 0. */
export function someSeconds(text: string): number {
  const value = seconds(text)
  if (value === 0) throw new Error('It must be more than 0 seconds.')
  return value
}

/** Names like `a,b`, each once. The option may be given several times. */
export function names(text: string, before: readonly string[] = []): readonly string[] {
  const given = text.split(',').map((name) => name.trim())
  const found = given.filter((name) => name !== '')
  // An empty shell variable must not count as a complete list.
  if (found.length === 0) throw new Error('It must name at least one, with commas between several.')
  return [...new Set([...before, ...found])]
}

/** Networks like `10.0.0.0/8,fd00::/8`. */
export function networks(text: string, before?: readonly string[]): readonly string[] {
  const found = names(text, before)
  if (!found.every(isNetwork)) throw new Error('It must be a network such as 10.0.0.0/8, with commas between several.')
  return found
}

/** Collects the text of each occurrence. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text]

const SIZES: Readonly<Record<string, number>> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

/** Bytes, also in binary units, such as `300M` or `2Gi`. */
export function bytes(text: string): number {
  const match = /^(\d{1,12})([KMG]?)i?B?$/i.exec(text)
  if (match === null) throw new Error('It must be a number of bytes, such as 65536 or 300M.')
  return Number(match[1]) * SIZES[match[2]!.toUpperCase()]!
}
