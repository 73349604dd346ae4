import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Makes a secret that nobody can guess. */
export const createToken = (): string => randomBytes(24).toString('base64url')

/**
 * Gives the token that an option asks for: a new one for `true`, otherwise the given one.
 *
 * @throws TypeError for a token that could be guessed, or that doesn't fit into a cookie and a URL
 */
export function resolveToken(token: boolean | string | undefined): string | undefined {
  if (token === undefined || token === false) return undefined
  if (token === true) return createToken()
  if (/^[\w.~-]{16,256}$/.test(token)) return token
  throw new TypeError('token must have 16 to 256 letters, digits, "-", ".", "_" or "~", so that nobody can guess it')
}

/** Compares two tokens in a time that tells nothing about either. */
export function tokensMatch(expected: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(expected), digest(given))
}
