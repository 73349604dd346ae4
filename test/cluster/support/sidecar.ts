import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { binaries } from '../../contract/support/releases.js'
import { send } from '../../contract/support/send.js'
import { freePort } from '../../support/free-port.js'
import type { Api } from './api.js'
import { atExit } from '../../../src/local/game/processes.js'
import { until } from './api.js'

/** The real sidecar of one GameServer, as a process of its own. */
export interface Sidecar {
  readonly port: number
  readonly url: string
  /** Starts it, again if need be, and resolves when it answers. */
  start(): Promise<void>
  /** Ends it as a crash does. */
  kill(): Promise<void>
}

/** The role that the platform's chart gives to sidecars, and the account that pods of GameServers run under. */
const ROLE = 'agones-sdk'

/**
 * Lets sidecars of the namespace do what they may in production, and no more.
 * @returns the path of a kubeconfig with their rights
 */
export async function letSidecarsIn(api: Api, namespace: string, folder: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  await api.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: ROLE } })
  await api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: ROLE },
    subjects: [{ kind: 'ServiceAccount', name: ROLE, namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ROLE },
  })
  const { status } = await api.create<{ status: { token: string } }>(`${accounts}/${ROLE}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  })
  const shown = execFileSync('kubectl', ['config', 'view', '--minify', '--flatten', '--raw', '-o', 'json'])
  const config = JSON.parse(shown.toString()) as {
    contexts: [{ context: { user: string } }]
    users: unknown
  }
  config.users = [{ name: config.contexts[0].context.user, user: { token: status.token } }]
  const path = join(folder, 'sidecar.kubeconfig')
  await writeFile(path, JSON.stringify(config))
  return path
}

export async function sidecarFor(gameServer: string, namespace: string, kubeconfig: string): Promise<Sidecar> {
  const [port, grpcPort, healthPort] = [await freePort(), await freePort(), await freePort()]
  let process: ChildProcess | undefined
  const args = [
    ...['--gameserver-name', gameServer, '--pod-namespace', namespace, '--kubeconfig', kubeconfig],
    ...['--http-port', `${port}`, '--grpc-port', `${grpcPort}`, '--health-port', `${healthPort}`],
  ]
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async start() {
      // Its flags are variables of the environment too: a test runner's own TEST would start another mode.
      const started = spawn(binaries[0]?.path ?? '', args, { stdio: 'ignore', env: {} })
      process = started
      started.once(
        'exit',
        atExit(() => started.kill('SIGKILL')),
      )
      await until(`the sidecar of ${gameServer}`, async () => {
        if (started.exitCode !== null) throw new Error(`The sidecar of ${gameServer} ended with ${started.exitCode}`)
        const status = await send(port, 'GET /gameserver').then(
          (answer) => answer.status,
          () => undefined,
        )
        return status === 200 ? true : undefined
      })
    },
    async kill() {
      if (process?.exitCode !== null || process.signalCode !== null) return
      const ended = once(process, 'exit')
      process.kill('SIGKILL')
      await ended
    },
  }
}
