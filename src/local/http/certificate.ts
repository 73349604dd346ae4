import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import { watchTextFile } from '../files/follow-file.js'
import { unreadableReason } from '../files/read-text-file.js'

/** A certificate chain and its private key, as PEM. */
export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
  /** Their files, if they are to be read again when they change. */
  readonly files: CertificateFiles | undefined
}

/** The paths of a certificate chain and its private key, and what else TLS is to use, such as `minVersion`. */
export interface CertificateFiles extends Omit<SecureContextOptions, 'cert' | 'key'> {
  readonly cert: string
  readonly key: string
}

/** Milliseconds without a further change: the certificate and its key are written one after the other. */
const SETTLE_MS = 500

/**
 * Checks the options `cert` and `key`, before a server starts: PEM texts, or the paths of their files. Undefined if
 * neither is given.
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
  const pair = { cert: read('cert', cert), key: read('key', key) }
  try {
    createSecureContext(pair)
  } catch (error) {
    const { message } = error as Error
    throw new TypeError(`cert and key must be PEM texts that belong together: ${message}`, { cause: error })
  }
  return { ...pair, files: isPath(cert) && isPath(key) ? { cert, key } : undefined }
}

const isPath = (pem: string | Uint8Array): pem is string => typeof pem === 'string' && !pem.includes('-----BEGIN ')

function read(name: string, pem: string | Uint8Array): Buffer {
  if (!isPath(pem)) return Buffer.from(pem)
  try {
    return readFileSync(pem)
  } catch (error) {
    throw new TypeError(`${name} is neither PEM nor a file that can be read: ${unreadableReason(error)}`, {
      cause: error,
    })
  }
}

/**
 * Makes a TLS server use the certificate of these files, and read them again when they change. Open connections stay as
 * they are. While the server listens, files that don't belong together are reported, and the last good ones stay in use.
 *
 * @param onWarning takes a line for a person. Default: `process.emitWarning`
 * @throws Error for files that can't be read, or that don't belong together
 */
export function followCertificate(
  server: Server,
  { cert, key, ...others }: CertificateFiles,
  onWarning: (line: string) => void = (line) => process.emitWarning(line, { type: 'GameServerSidecar' }),
): void {
  const files = { cert, key }
  const texts = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  const use = (): void => server.setSecureContext({ ...others, ...texts })
  use()

  const renew = (): void => {
    try {
      use()
    } catch (error) {
      onWarning(`${cert} and ${key} don't belong together, so the old certificate stays: ${(error as Error).message}`)
    }
  }
  const follow = (): void => {
    let waiting: NodeJS.Timeout | undefined
    const stops = (['cert', 'key'] as const).map((name) =>
      watchTextFile(files[name], texts[name], (text) => {
        texts[name] = text
        clearTimeout(waiting)
        waiting = setTimeout(renew, SETTLE_MS).unref()
      }),
    )
    server.once('close', () => {
      for (const stop of stops) stop()
      clearTimeout(waiting)
    })
  }
  if (server.listening) follow()
  else server.once('listening', follow)
}
