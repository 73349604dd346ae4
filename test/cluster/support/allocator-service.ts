import { execFileSync, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { atExit } from '../../../src/local/game/processes.js'

export const kubectl = (...args: readonly string[]): string => execFileSync('kubectl', args, { encoding: 'utf8' })

/** A field of a secret, or undefined without the secret. */
function secret(namespace: string, name: string, field: string): string | undefined {
  try {
    const { data } = JSON.parse(kubectl('get', 'secret', name, '-n', namespace, '-o', 'json')) as {
      data: Readonly<Record<string, string>>
    }
    return Buffer.from(data[field] ?? '', 'base64').toString()
  } catch {
    return undefined
  }
}

/**
 * The platform's allocator service, as this machine reaches it by a client's certificate: at the address that
 * `CLUSTER_ALLOCATOR` names, for a cluster that runs no pods; else through a port-forward.
 * Undefined without a client's certificate in the cluster.
 */
export async function allocatorService() {
  const cert = secret('default', 'allocator-client.default', 'tls.crt')
  if (cert === undefined) return undefined
  const served = new X509Certificate(secret('agones-system', 'allocator-tls', 'tls.crt')!)
  const [, servername = 'localhost'] = /DNS:([^,]+)/.exec(served.subjectAltName ?? '') ?? []
  const given = process.env['CLUSTER_ALLOCATOR']
  const { address, close } = given === undefined ? await forward() : { address: given, close: () => undefined }
  const [hostname = '', port = ''] = address.split(':')
  return {
    /** `servername` is the name that the service's certificate is for. */
    ...{ hostname, port, servername, cert, close },
    key: secret('default', 'allocator-client.default', 'tls.key'),
    ca: secret('agones-system', 'allocator-tls-ca', 'tls-ca.crt'),
  }
}

async function forward(): Promise<{ readonly address: string; readonly close: () => void }> {
  const target = ['-n', 'agones-system', 'service/agones-allocator', ':443']
  const forwarding = spawn('kubectl', ['port-forward', ...target], { stdio: ['ignore', 'pipe', 'inherit'] })
  const forget = atExit(() => forwarding.kill())
  const [line] = (await once(createInterface({ input: forwarding.stdout }), 'line')) as [string]
  const close = (): void => {
    forwarding.kill()
    forget()
  }
  return { address: /127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '', close }
}
