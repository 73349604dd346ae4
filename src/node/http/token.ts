import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that only whoever started the server knows. */
export const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares in a time that tells nothing about either. */
export function tokensMatch(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}
