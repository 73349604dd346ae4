import { setTimeout as sleep } from 'node:timers/promises'
import { HostError } from '../host-error.js'
import { EndedEarly, startBrowserProcess } from './browser-process.js'
import { createDevtoolsPipe, type DevtoolsPipe } from './devtools.js'

export interface LaunchOptions {
  readonly path: string
  /** Draws WebGL in software, which takes about half a core more. */
  readonly webgl?: boolean
  /** The most MB that the page's JavaScript heap may hold. */
  readonly maxOldSpace?: number
  /** Further flags. */
  readonly extra?: readonly string[]
  /** ms that the start may take. */
  readonly deadline: number
  readonly onWarning: (message: string) => void
  readonly signal?: AbortSignal | undefined
}

/** A browser that runs, until it ends or is ended. */
export interface Browser {
  readonly pid: number
  /** For example `HeadlessChrome/156.0.8078.79`. */
  readonly version: string
  readonly sandbox: boolean
  readonly devtools: DevtoolsPipe
  /** Resolves with how the process ended, such as `exit code 1` or `SIGKILL`. */
  readonly ended: Promise<string>
  /**
   * Ends the browser, by force if it takes longer than a second, and removes its profile. Can be called again.
   *
   * @param atOnce kills at once: the page has failed, so there is nothing to wait for
   */
  close(atOnce?: boolean): Promise<void>
}

/** Time that a browser has to close by itself. */
const CLOSE_MS = 1_000

/**
 * Starts a browser that is steered over a pipe: it ends when this process does, and no port is open. It runs in its
 * sandbox if it can.
 *
 * @throws HostError LAUNCH_FAILED, or the signal's reason
 */
export async function launchBrowser(options: LaunchOptions): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  const deadline = performance.now() + options.deadline
  let why = 'it refuses to run as root in its sandbox'
  if (!isRoot) {
    try {
      return await launch(options, true, deadline)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!(error instanceof EndedEarly)) throw error
      // The usual case in a pod, where the browser writes several hundred letters.
      why = error.isAboutSandbox ? 'this system offers it none' : `it ended (${error.message})`
    }
  }
  try {
    const browser = await launch(options, false, deadline)
    options.onWarning(`The browser runs without its sandbox, since ${why}`)
    return browser
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof EndedEarly)) throw error
    throw new HostError('LAUNCH_FAILED', `The browser ${options.path} doesn't start: ${error.message}`, undefined, {
      cause: error,
    })
  }
}

async function launch(options: LaunchOptions, sandbox: boolean, deadline: number): Promise<Browser> {
  const { path, signal } = options
  const began = performance.now()
  signal?.throwIfAborted()
  const child = await startBrowserProcess(path, (profile) => flagsOf(options, sandbox, profile))
  const { pid, ended } = child
  const devtools = createDevtoolsPipe(child.input, child.output)
  void ended.then((how) => devtools.end(`the browser has ended: ${how}`))
  // A browser ends with its pipe. One that lives on can't be controlled any more, so it is killed.
  child.input.once('end', () => setTimeout(child.kill, CLOSE_MS).unref())

  let closing: Promise<void> | undefined
  const end = async (atOnce: boolean): Promise<void> => {
    if (atOnce) child.kill()
    else devtools.send('Browser.close', {}, CLOSE_MS).catch(() => undefined)
    const isClosed = await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })])
    if (isClosed === undefined) child.kill()
    await ended
    await child.cleanUp()
  }
  const close = (atOnce = false): Promise<void> => (closing ??= end(atOnce))
  signal?.addEventListener('abort', child.kill, { once: true })

  const left = (): number => Math.max(1, deadline - performance.now())
  try {
    const { product } = await devtools.send<{ product: string }>('Browser.getVersion', {}, left())
    return { pid, version: product, sandbox, devtools, ended, close }
  } catch {
    // A browser closes its pipe shortly before it exits. Wait for the exit, which gives the reason.
    const how = await Promise.race([ended, sleep(Math.min(left(), CLOSE_MS), undefined, { ref: false })])
    await close(true)
    if (how !== undefined) throw new EndedEarly(how, child.messages())
    throw new HostError(
      'LAUNCH_FAILED',
      `The browser ${path} has not answered over its pipe within ${Math.round(performance.now() - began)} ms.`,
      'The host needs Chromium, Chrome or chromium-headless-shell.',
    )
  } finally {
    signal?.removeEventListener('abort', child.kill)
  }
}

const ALWAYS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--in-process-gpu',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--mute-audio',
  // Without this flag, sound waits for a click.
  '--autoplay-policy=no-user-gesture-required',
  // Without this flag the browser hangs where /dev/shm isn't writable.
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--renderer-process-limit=1',
  // Saves one process: 10 MB.
  '--enable-features=NetworkServiceInProcess2',
  // Lets a page connect to a peer by this machine's addresses: a container can't resolve their mDNS names.
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--window-size=320,240',
]

const NO_WEBGL = ['--disable-gpu', '--disable-software-rasterizer']
const WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader']

function flagsOf({ webgl, maxOldSpace, extra = [] }: LaunchOptions, sandbox: boolean, profile: string): string[] {
  return [
    ...ALWAYS,
    `--user-data-dir=${profile}`,
    ...(webgl ? WEBGL : NO_WEBGL),
    // With a sandbox, the browser needs a zygote to start.
    ...(sandbox ? [] : ['--no-sandbox', '--no-zygote']),
    ...(maxOldSpace === undefined ? [] : [`--js-flags=--max-old-space-size=${maxOldSpace}`]),
    ...extra,
    'about:blank',
  ]
}
