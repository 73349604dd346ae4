import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { onTestFailed, onTestFinished } from 'vitest'
import type { HostEvent } from '../../../src/host/host-events.js'
import { waitForEvents } from '../../host/support/run-host.js'
import type { HostProcess } from '../../host/support/run-host.js'
import type { Engine } from './engine.js'

const exec = promisify(execFile)

/** What is read of a GameServer's manifest. */
export interface Manifest {
  readonly spec: { readonly template: { readonly spec: PodSpec } }
}

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number }
  readonly containers: readonly [
    {
      readonly args?: readonly string[]
      readonly env?: readonly { readonly name: string; readonly value: string }[]
      readonly resources: { readonly limits: { readonly memory: string } }
      readonly securityContext: {
        readonly allowPrivilegeEscalation: boolean
        readonly readOnlyRootFilesystem: boolean
        readonly capabilities: { readonly drop: readonly string[] }
      }
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    },
  ]
  readonly volumes: readonly { readonly name: string; readonly emptyDir: { readonly sizeLimit: string } }[]
}

export interface ContainerOptions {
  readonly manifest: Manifest
  /** Arguments after those of the manifest. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** More of podman's own flags. */
  readonly flags?: readonly string[]
}

export interface ContainerProcess {
  /** As this machine numbers it. */
  readonly pid: number
  /** `/proc/<pid>/status`. */
  readonly status: Readonly<Record<string, string>>
  /** The flags of its root file system's mount. */
  readonly rootMount: string
}

export interface Container extends Pick<HostProcess, 'events' | 'until'> {
  processes(): Promise<readonly ContainerProcess[]>
  signal(name: NodeJS.Signals): Promise<void>
  readonly exited: Promise<number>
}

let count = 0

/** Runs an image as a pod's manifest says, on this machine's network. It is removed with the test. */
export function runContainer(engine: Engine, image: string, options: ContainerOptions): Container {
  const { manifest, args = [], env = {}, flags = [] } = options
  const podman = async (...words: string[]): Promise<string> =>
    (await exec('podman', [...engine.podman, ...words])).stdout
  const name = `game-${(count += 1)}`
  const game = manifest.spec.template.spec.containers[0]
  const variables = { ...Object.fromEntries((game.env ?? []).map((one) => [one.name, one.value])), ...env }
  const more = [
    ...['--name', name, '--network', 'host', ...flagsOf(manifest.spec.template.spec)],
    ...Object.entries(variables).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
  ]
  const child = spawn('podman', [...engine.run, ...more, ...flags, image, ...(game.args ?? []), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A note of a kill for want of memory is left where podman was started.
    cwd: engine.folder,
  })
  const events: HostEvent[] = []
  let stderr = ''
  const { until, look } = waitForEvents(events, () => stderr)
  child.stderr.on('data', (text: Buffer) => (stderr += text.toString()))
  createInterface({ input: child.stdout }).on('line', (line) => {
    // A program prints its own lines.
    events.push(
      line.startsWith('{') ? (JSON.parse(line) as HostEvent) : { event: 'console', level: 'info', text: line },
    )
    look(false)
  })
  const exited = once(child, 'close').then(([code]) => {
    look(true)
    return code as number
  })
  onTestFailed(() => console.log(`What ${name} said:`, events, stderr))
  onTestFinished(async () => {
    await podman('rm', '--force', '--time', '0', name)
    await exited
  })

  return {
    events,
    exited,
    until,
    async processes() {
      const pids = (await podman('top', name, 'hpid')).trim().split('\n').slice(1)
      return pids.map(Number).map(processOf)
    },
    signal: async (signal) => void (await podman('kill', '--signal', signal, name)),
  }
}

/** Translates a pod's spec to podman's flags, as a kubelet would. Podman applies its own seccomp profile by default. */
function flagsOf({ securityContext: { runAsUser, runAsGroup }, containers: [game], volumes }: PodSpec): string[] {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = game.securityContext
  const memory = quantity(game.resources.limits.memory)
  return [
    ...['--user', `${runAsUser}:${runAsGroup}`, '--memory', memory, '--memory-swap', memory],
    ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...(readOnlyRootFilesystem ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...capabilities.drop.flatMap((capability) => ['--cap-drop', capability]),
    ...game.volumeMounts.flatMap(({ name, mountPath }) => {
      const { sizeLimit } = volumes.find((volume) => volume.name === name)!.emptyDir
      return ['--tmpfs', `${mountPath}:rw,mode=1777,size=${quantity(sizeLimit)}`]
    }),
  ]
}

/** `512Mi` is `512m` here. */
const quantity = (text: string): string => text.replace(/Mi$/, 'm')

function processOf(pid: number): ContainerProcess {
  const lines = (file: string): string[] => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\n')
  return {
    pid,
    status: Object.fromEntries(lines('status').map((line) => line.split(/:\s*/, 2) as [string, string])),
    rootMount:
      lines('mountinfo')
        .map((line) => line.split(' '))
        .find((words) => words[4] === '/')?.[5] ?? '',
  }
}
