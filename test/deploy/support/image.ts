import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const exec = promisify(execFile)
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export interface Image {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly cmd: readonly string[]
  readonly expose: readonly number[]
}

/** Carries out the steps of the Dockerfile in a folder. Mounts and processes of it end with it, however it ends. */
export async function buildImage(base: string, context: string, out: string): Promise<Image> {
  const build = [process.execPath, path('build-image.mjs'), base, context, out]
  try {
    await exec('unshare', ['--mount', '--propagation=private', '--pid', '--fork', '--kill-child', ...build], {
      maxBuffer: 1 << 26,
      timeout: 600_000,
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`The image was not built:\n${`${stdout}\n${stderr}`.slice(-3_000)}`, { cause: error })
  }
  const image = JSON.parse(await readFile(join(out, 'image.json'), 'utf8')) as Omit<Image, 'root'>
  return { ...image, root: join(out, 'root') }
}

export interface Container {
  /** Process 1 of the container, as this machine numbers it. */
  readonly pid: number
  readonly lines: readonly string[]
  /** Resolves with the first line, past or future, that matches. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The processes in it, by `/proc/<pid>/status`. */
  processes(): readonly ContainerProcess[]
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<number | null>
  /** Ends what is left, and resolves when nothing is. */
  remove(): Promise<void>
}

export interface ContainerProcess {
  readonly pid: number
  readonly status: Readonly<Record<string, string>>
}

/**
 * Starts an image as a container runtime would under the manifests: a read-only root file system, no capabilities, the
 * image's user, 64 MiB of /dev/shm, an empty /tmp, and processes numbered from 1. The network is this machine's.
 */
export async function runImage(
  image: Image,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Container> {
  const [uid = '', gid = ''] = image.user.split(':')
  const [program, ...rest] = [...image.entrypoint, ...args]
  // The outer process dies with this one, and its namespace with it: whatever is in there then goes at once. The container
  // alone would stay, since a process that changes its user no longer dies with its parent.
  const outer = ['--pdeathsig=KILL', 'unshare', '--pid', '--fork', '--kill-child']
  const inner = ['unshare', '--mount', '--propagation=private', '--pid', '--ipc', '--fork']
  const child = spawn(
    'setpriv',
    [...outer, ...inner, 'sh', path('run-image.sh'), image.root, uid, gid, program!, ...rest],
    {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...image.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  const errors = createInterface({ input: child.stderr })
  for (const output of [reader, errors]) {
    output.on('line', (line) => {
      lines.push(line)
      reader.emit('collected')
    })
  }
  const exited = once(child, 'close').then(([code]) => {
    reader.emit('collected')
    return code as number | null
  })
  let isOver = false
  void exited.then(() => (isOver = true))
  const line = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (let i = 0; ; i += 1) {
      while (lines[i] === undefined) {
        if (isOver) throw new Error(`No line ${String(pattern)} in:\n${lines.join('\n').slice(-3_000)}`)
        await once(reader, 'collected')
      }
      const match = pattern.exec(lines[i]!)
      if (match !== null) return match
    }
  }
  await line(/^container starts$/)
  const pid = childOf(childOf(child.pid!))
  const namespace = await readlink(`/proc/${pid}/ns/pid`)
  return {
    pid,
    lines,
    line,
    processes: () => processesOf(namespace),
    signal: (name) => process.kill(pid, name),
    exited,
    remove: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function processesOf(namespace: string): ContainerProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/status`, 'utf8')
      if (readlinkSync(`/proc/${pid}/ns/pid`) !== namespace) return []
      const status = Object.fromEntries(text.split('\n').map((row) => row.split(/:\s*/, 2) as [string, string]))
      return [{ pid: Number(pid), status }]
    } catch {
      // It ended in between.
      return []
    }
  })
}

const childOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
