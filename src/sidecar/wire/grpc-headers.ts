import { fail } from '../model/state/step.js'
import type { Answer } from '../model/state/step.js'

/** Nanoseconds of each unit; calls that get less than `soon` are over before they are made. */
const units: Readonly<Record<string, number>> = { H: 3.6e12, M: 6e10, S: 1e9, m: 1e6, u: 1e3, n: 1 }
const soon = 100_000

const metadataHeader = /^grpc-metadata-.*-bin$/

/**
 * What the real sidecar's gateway makes of the headers that it passes on, after the path and before the
 * body.
 */
export interface GrpcHeaders {
  /** A header that can't be passed on. */
  readonly refusal: Answer | undefined
  /** The time for the call was over before it began: it is answered with this and never made. */
  readonly expired: Answer | undefined
}

export function readGrpcHeaders(headers: Headers): GrpcHeaders {
  const timeout = headers.get('grpc-timeout') ?? ''
  const [, amount, unit] = /^([+-]?\d+)([HMSmun])$/.exec(timeout) ?? []
  const count = BigInt(amount?.replace(/^\+/, '') ?? 0)
  if (timeout !== '' && (amount === undefined || BigInt.asIntN(64, count) !== count)) {
    return { refusal: fail(3, `invalid grpc-timeout: ${timeout}`), expired: undefined }
  }
  for (const [name, value] of headers) {
    const at = metadataHeader.test(name) ? corruptAt(value) : undefined
    if (at === undefined) continue
    const reason = `illegal base64 data at input byte ${at}`
    return { refusal: fail(3, `invalid binary header ${canonical(name)}: ${reason}`), expired: undefined }
  }
  const nanoseconds = BigInt.asIntN(64, count * BigInt(units[unit ?? ''] ?? 0))
  const expired = nanoseconds !== BigInt(0) && nanoseconds < soon
  return { refusal: undefined, expired: expired ? fail(4, 'context deadline exceeded') : undefined }
}

/** The place of the first byte that doesn't belong into base64, padded or not. */
function corruptAt(text: string): number | undefined {
  const padded = text.length % 4 === 0
  const digits = padded ? text.replace(/={1,2}$/, '') : text
  const at = digits.search(/[^A-Za-z0-9+/]/)
  if (at >= 0) return at
  return digits.length % 4 === 1 ? digits.length - 1 : undefined
}

const canonical = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
