import { createSecureContext } from 'node:tls'

/** A certificate chain and its private key, as PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * Checks the options `cert` and `key`, before a server starts. Undefined if neither is given.
 *
 * @throws TypeError for a cert without a key or a key without a cert, and for texts that don't belong together
 */
export function checkCertificate(
  cert: string | Uint8Array | undefined,
  key: string | Uint8Array | undefined,
): Certificate | undefined {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) {
    throw new TypeError('cert and key go together: TLS needs the certificate and its private key')
  }
  const pair = { cert: Buffer.from(cert), key: Buffer.from(key) }
  try {
    createSecureContext(pair)
    return pair
  } catch (error) {
    const { message } = error as Error
    throw new TypeError(`cert and key must be PEM texts that belong together: ${message}`, { cause: error })
  }
}
