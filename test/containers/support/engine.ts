import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { processes } from '../../host/support/processes.js'
import { contained, makeDebian } from './base-image.js'

const exec = promisify(execFile)

/** The file system of this folder usually supports layers, and podman needs short paths. */
const PLACE = '/var/tmp'
/** A new version rebuilds all images. */
const VERSION = 2
/** Nothing that the machine's own containers use. */
const ALONE = ['--runtime', '/usr/sbin/runc', '--events-backend', 'none', '--cgroup-manager', 'cgroupfs']
/** podman asks for more than some machines let root have. */
const FEW = ['--ulimit', 'nofile=20000:20000', '--ulimit', 'nproc=1024:1024']
const COMMANDS = ['podman', 'buildah', 'runc', 'debootstrap', 'setpriv', 'unshare', 'flock', 'tar']
const SUPERUSER_FOLDERS = ['/usr/sbin', '/sbin']
const ATTEMPTS = 3
/** Layers that no build has made for so long are removed from the cache. */
const KEPT = 'until=168h'

/** Why no container can run here; undefined where one can. */
export function whyNoContainers(): string | undefined {
  if (process.platform !== 'linux') return 'they need Linux'
  if (process.getuid?.() !== 0) return 'they need root'
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SUPERUSER_FOLDERS]
  const missing = COMMANDS.filter((command) => !folders.some((folder) => existsSync(join(folder, command))))
  if (missing.length > 0) return `they need ${missing.join(', ')}`
  return spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'root may not mount here'
}

/** podman and buildah, with containers of their own and images that later runs use again. */
export interface Engine {
  /** Holds all files of this run, and is removed with it. */
  readonly folder: string
  /** Arguments with which podman sees this run's containers. */
  readonly podman: readonly string[]
  /** The same, and the command that runs one. */
  readonly run: readonly string[]
  /** Carries out the Dockerfile in a folder; resolves with the image's id. */
  build(context: string): Promise<string>
  /** The size of an image, and the paths in it without a leading slash. */
  contents(image: string): Promise<{ readonly megabytes: number; readonly files: ReadonlySet<string> }>
  /** Ends all containers. Resolves when nothing of them is left. */
  close(): Promise<void>
}

/**
 * Nothing but cached images outlives this process: another one waits for its end, and takes away what is left, also after
 * SIGKILL.
 */
export async function openEngine(): Promise<Engine> {
  const cache = await openCache()
  const folder = await mkdtemp(join(PLACE, 'gameserver-run-'))
  const own = ['--root', join(folder, 'containers'), '--runroot', join(folder, 'state')]
  const driver = driverFor(folder)
  const images = join(cache, driver)
  await mkdir(images, { recursive: true })
  const podman = [
    ...[...own, '--tmpdir', join(folder, 'tmp'), '--storage-driver', driver],
    ...['--storage-opt', `${driver}.imagestore=${images}`, ...ALONE],
  ]
  const sweeper = sweepAfter(folder, podman)

  /** Runs a script with `$STORE`, the options that name the cache. Only one at a time does. */
  async function inCache(script: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
    const state = join(cache, 'state')
    const variables = {
      TMPDIR: folder,
      STATE: state,
      STORE: `--root ${images} --runroot ${state} --storage-driver ${driver}`,
      PODMAN: `--tmpdir ${state}/tmp ${ALONE.join(' ')}`,
    }
    const [command, ...args] = contained(['flock', join(cache, 'lock'), 'sh', '-euc', script])
    const options = { maxBuffer: 1 << 26, env: { ...process.env, ...variables, ...env } }
    return (await exec(command!, args, options)).stdout.trim()
  }

  async function importBase(name: string): Promise<void> {
    const env = { IMAGE: `docker.io/library/${name}`, BASE: join(folder, 'debian') }
    if ((await inCache('podman $STORE $PODMAN image exists "$IMAGE" && echo yes || true', env)) === 'yes') return
    await rm(env.BASE, { recursive: true, force: true })
    await makeDebian(env.BASE)
    await inCache('tar --directory "$BASE" --create . | podman $STORE $PODMAN import --quiet - "$IMAGE"', env)
    await rm(env.BASE, { recursive: true, force: true })
  }

  return {
    folder,
    podman,
    run: [...podman, 'run', '--cgroup-parent', `/${basename(folder)}`, ...FEW],
    async build(context) {
      const dockerfile = await readFile(join(context, 'Dockerfile'), 'utf8')
      const bases = new Set([...dockerfile.matchAll(/^FROM (\S+) AS /gm)].map(([, name]) => name!))
      return insist(async () => {
        for (const base of bases) await importBase(base)
        return inCache(BUILD, { CONTEXT: context, ID: join(folder, 'image-id'), KEPT })
      })
    },
    async contents(image) {
      const script = `podman $PODMAN create --name contents "$IMAGE" >&2; podman $PODMAN export contents | tar --list
        podman $PODMAN rm contents >&2; podman $PODMAN image inspect --format '{{.Size}}' "$IMAGE"`
      const env = { ...process.env, PODMAN: podman.join(' '), IMAGE: image }
      const { stdout } = await exec('sh', ['-euc', script], { env, maxBuffer: 1 << 26 })
      const lines = stdout.trim().split('\n')
      return { megabytes: Number(lines.pop()) / 1e6, files: new Set(lines) }
    },
    async close() {
      sweeper.stdin.end()
      if (sweeper.exitCode === null) await once(sweeper, 'exit')
    },
  }
}

/** What a killed build has left goes first. The layers of the others are used again where nothing has changed. */
const BUILD = `
  rm -rf "$STATE"
  buildah $STORE rm --all >&2
  podman $STORE $PODMAN image prune --force --filter "$KEPT" >&2
  buildah $STORE bud --layers --isolation chroot --pull-never --iidfile "$ID" "$CONTEXT" >&2
  cat "$ID"`

async function openCache(): Promise<string> {
  const cache = join(PLACE, `gameserver-images-${VERSION}-${process.version}`)
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(cache)
  if (uid !== process.getuid!() || (mode & 0o077) !== 0) throw new Error(`${cache} belongs to somebody else; remove it`)
  return cache
}

/** Layers over each other, or copies where this file system takes no layers. */
function driverFor(folder: string): string {
  const [root, state] = [join(folder, 'probe'), join(folder, 'probe-state')]
  const probe = ['--root', root, '--runroot', state, '--tmpdir', `${state}/tmp`, ...ALONE]
  return spawnSync('podman', [...probe, '--storage-driver', 'overlay', 'info']).status === 0 ? 'overlay' : 'vfs'
}

/** Retries: a mirror may be updating, or one connection may be lost. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string }
      if (attempt === ATTEMPTS) throw new Error(`The image was not built:\n${stderr.slice(-3_000)}`, { cause: error })
      console.warn(`The image was not built, so it is tried once more: ${String(error)}`)
    }
  }
}

/** Waits until its input ends, then takes everything away that bears the name of the run. */
const SWEEP = `
  cat > /dev/null
  for _ in $(seq 100); do
    podman $PODMAN rm --force --all --time 0
    printf %s "$FOLDER" | grep -qsFf - /proc/[0-9]*/cmdline || break
    sleep 0.1
  done
  grep -oE " $FOLDER/[^ ]*" /proc/mounts | sort -r | xargs -r umount --lazy
  find /sys/fs/cgroup -depth -type d -path "*/$(basename "$FOLDER")*" -exec rmdir {} +
  rm -rf "$FOLDER"`

function sweepAfter(folder: string, podman: readonly string[]) {
  const env = { ...process.env, FOLDER: folder, PODMAN: podman.join(' ') }
  return spawn('sh', ['-c', SWEEP], { stdio: ['pipe', 'ignore', 'inherit'], env, detached: true })
}

/** What is left of a run, by the name of its folder. */
export function leftoversOf({ folder }: Pick<Engine, 'folder'>): string[] {
  const groups = ['/sys/fs/cgroup', ...readdirSync('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name))]
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  return [
    ...[folder, ...groups.map((group) => join(group, basename(folder)))].filter((path) => existsSync(path)),
    ...mounts.filter((mount) => mount.includes(folder)),
    ...processes().flatMap(({ command }) => (command.join(' ').includes(folder) ? command.join(' ') : [])),
  ]
}
