import { longestTimer } from '../../protocol/names.js'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EndWait, HostConfig } from '../page-script/page.js'
import { script } from '../page-script/index.ts?script'
import type { Browser } from '../browser/launch-browser.js'
import { HostError } from '../host-error.js'
import { describeFrames, type CallFrame } from './console-lines.js'

/** The page in which the game runs. */
export type HostedPage = Awaited<ReturnType<typeof openHostedPage>>

/** The steps of a page, as `tick()` told them. */
export interface StepFigures {
  count: number
  /** The longest time between two steps in each of the last readings, ms. */
  readonly longest: Float64Array
}

/** Readings come once a second: those of a minute, which no scrape misses. */
const KEPT_READINGS = 60

interface TargetInfo {
  readonly targetId: string
  readonly type: string
}

/** A function in which a page was stopped. */
interface PausedFrame {
  readonly functionName: string
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number }
}

const ASK_AGAIN_MS = 20
const STACK_MS = 1_000
/** A page may create any number of scripts. The build's come first. */
const MOST_SCRIPTS = 1_000
const HOST = "globalThis[Symbol.for('gameserver-sidecar.host')]"

/** Attaches to the page that the browser has opened, and prepares it. Nothing is loaded yet. */
export async function openHostedPage({ devtools, ended }: Browser, config: HostConfig) {
  const { targetInfos } = await devtools.send<{ targetInfos: readonly TargetInfo[] }>('Target.getTargets')
  const target = targetInfos.find(({ type }) => type === 'page')
  if (target === undefined) throw new HostError('LAUNCH_FAILED', 'The browser has opened no page.')
  const { targetId } = target
  const { sessionId } = await devtools.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true })
  const session = devtools.session(sessionId)

  const steps: StepFigures = { count: 0, longest: new Float64Array(KEPT_READINGS) }
  let readings = 0
  let isGone = false
  const gone = new Promise<string>((resolve) => {
    devtools.on<{ targetId: string; status: string; errorCode: number }>('Target.targetCrashed', (crash) => {
      if (crash.targetId === targetId) resolve(describePageCrash(crash.status, crash.errorCode))
    })
    devtools.on<{ targetId: string }>('Target.targetDestroyed', (destroyed) => {
      if (destroyed.targetId === targetId) resolve('The page has closed itself')
    })
  })

  void Promise.race([gone, ended]).then(() => (isGone = true))

  const urls = new Map<string, string>()
  session.on<{ scriptId: string; url: string }>('Debugger.scriptParsed', ({ scriptId, url }) => {
    if (urls.size < MOST_SCRIPTS) urls.set(scriptId, url)
  })

  const source = `(function (hostConfig) { ${script} })(${JSON.stringify(config)})`
  await Promise.all([
    devtools.send('Target.setDiscoverTargets', { discover: true }),
    session.send('Page.enable'),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source }),
    // The debugger must be on before a hang, so that the host can read the stack.
    session.send('Debugger.enable'),
  ])

  const evaluate = async (expression: string, deadline: number): Promise<unknown> => {
    const params = { expression, returnByValue: true, awaitPromise: true }
    const { result } = await session.send<{ result: { value?: unknown } }>('Runtime.evaluate', params, deadline)
    return result.value
  }

  let boot!: () => void
  const booted = new Promise<void>((resolve) => (boot = resolve))

  /** Waits for the promise of the first step. A reload drops that promise and makes a new one. */
  const awaitBoot = async (): Promise<void> => {
    while (!isGone) {
      // No timeout here: the caller has its own for the first step.
      const hasBooted = await evaluate(`${HOST}?.booted.then(() => true)`, longestTimer).catch(() => false)
      if (hasBooted) return boot()
      await sleep(ASK_AGAIN_MS, undefined, { ref: false })
    }
  }

  return {
    session,
    targetId,
    steps,
    /** Resolves when the page makes its first step. */
    booted,
    /** Resolves with what happened when the page crashes or closes itself. */
    gone,
    /** Loads the page. Its first step may come before this resolves. */
    async load(url: string): Promise<void> {
      const { errorText } = await session.send<{ errorText?: string }>('Page.navigate', { url }, 60_000)
      if (errorText !== undefined) throw new HostError('CRASHED', `The page ${url} can't be loaded: ${errorText}.`)
      void awaitBoot()
    },
    /** How often `tick()` was called. @param deadline ms within which the page must answer */
    async ticks(deadline: number): Promise<number> {
      const [count, longest] = (await evaluate(`${HOST}?.takeSteps() ?? [0, 0]`, deadline)) as [number, number]
      steps.count = count
      steps.longest[readings++ % KEPT_READINGS] = longest
      return count
    },
    /** Stops a busy page. Resolves with the lines of its stack, the innermost first; none if it can't be stopped. */
    async stack(): Promise<string[]> {
      let forget!: () => void
      const paused = new Promise<readonly PausedFrame[]>((resolve) => {
        forget = session.on<{ callFrames: readonly PausedFrame[] }>('Debugger.paused', ({ callFrames }) =>
          resolve(callFrames),
        )
      })
      session.send('Debugger.pause', {}, STACK_MS).catch(() => undefined)
      const frames = await Promise.race([paused, sleep(STACK_MS, [], { ref: false })])
      forget()
      return describeFrames(
        frames.map(({ functionName, location: { scriptId, ...place } }): CallFrame => {
          return { functionName, url: urls.get(scriptId) ?? '', ...place }
        }),
      )
    },
    /**
     * Tells the page to end. Resolves when the page has finished its own work, with what the host still has to wait for.
     *
     * @param patience ms for a page that listens to `shutdown`
     * @param clientPatience ms for a page that listens only to its clients
     */
    async shutdown(signal: string, patience: number, clientPatience: number): Promise<EndWait> {
      const now = Date.now()
      const args = `${JSON.stringify(signal)}, ${now + patience}, ${now + clientPatience}`
      return (await evaluate(`${HOST}?.shutdown(${args}) ?? 'shutdown'`, patience)) as EndWait
    },
  }
}

/** The browser's status and code in words. */
function describePageCrash(status: string, code: number): string {
  if (status === 'oom' || code === 5) return 'The page has run out of memory'
  return `The page has crashed (${status}, code ${code})`
}
