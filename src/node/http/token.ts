import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Makes a secret that nobody can guess. */
export const createToken = (): string => randomBytes(24).toString('base64url')

/** Compares two tokens in a time that tells nothing about either. */
export function tokensMatch(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}
