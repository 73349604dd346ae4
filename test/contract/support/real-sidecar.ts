import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.js'
import type { Cluster } from './cluster.js'
import { send } from './send.js'
import type { Binary } from './releases.js'
import type { Setup } from './wire-case.js'

export interface RealSidecar {
  port: number
  grpcPort: number
  /** The file the sidecar was started with, to be edited in place. */
  file: string | undefined
  /** Resolves with the exit code, also when it ends by itself. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

/** Starts the real sidecar as in a pod, beside an API server that holds the GameServer `mine`. */
export const startRealInCluster = async (binary: Binary, cluster: Cluster, setup: Setup = {}): Promise<RealSidecar> => {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'))
  const config = join(folder, 'kubeconfig')
  const access = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
    clusters: [{ name: 'here', cluster: { server: cluster.url } }],
    users: [{ name: 'sidecar', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'sidecar' } }],
  }
  await writeFile(config, JSON.stringify(access))
  const names = ['--gameserver-name', 'mine', '--pod-namespace', 'default']
  const flags = [...names, '--kubeconfig', config, '--graceful-termination=false']
  const sidecar = await startRealSidecar(binary, setup, flags)
  const stop = async (): Promise<void> => {
    await sidecar.stop()
    await cluster.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...sidecar, stop }
}

/** Starts the real sidecar in local mode (or with other flags) and waits until it answers. */
export const startRealSidecar = async (
  binary: Binary,
  setup: Setup = {},
  flags = ['--local'],
): Promise<RealSidecar> => {
  const folder = setup.file === undefined ? undefined : await mkdtemp(join(tmpdir(), 'contract-'))
  const file = folder && join(folder, 'gameserver.yaml')
  if (file) await writeFile(file, setup.file ?? '')
  for (let attempt = 1; ; attempt++) {
    const [port, grpc] = await Promise.all([freePort(), freePort()])
    const args = [...flags, '--http-port', `${port}`, '--grpc-port', `${grpc}`]
    if (file) args.push('--file', file)
    if (flags.includes('--kubeconfig')) args.push('--health-port', `${await freePort()}`)
    if (setup.gates) args.push('--feature-gates', setup.gates)
    // Its flags are variables of the environment too: a test runner's own TEST would start another mode.
    const child = spawn(binary.path, args, { stdio: 'ignore', env: {} })
    const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('exit', resolve))
    while (child.exitCode === null && child.signalCode === null) {
      // A call that changes nothing and is not recorded; until the server behind the gateway is up, 503.
      const status = await send(port, 'PATCH /v1beta1/counters/none', { body: '{}' }).then(
        (answer) => answer.status,
        () => 503,
      )
      if (status !== 503) {
        const stop = async (): Promise<void> => {
          child.kill('SIGKILL')
          await ended
          if (folder) await rm(folder, { recursive: true, force: true })
        }
        return { port, grpcPort: grpc, file, ended, stop }
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    if (attempt === 3) throw new Error('the real sidecar did not start')
  }
}
