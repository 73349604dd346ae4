import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares two tokens in a time that tells nothing about either. */
export function tokensMatch(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}

/** The token in a header `Authorization: Bearer`; undefined without one. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(\S+)$/i.exec(authorization)?.[1]
