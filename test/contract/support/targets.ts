import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { createLocalSidecar } from '../../../src/node.js'
import { startMock } from './mock-target.js'
import { startRealSidecar } from './real-sidecar.js'
import { binaries } from './releases.js'
import type { Setup, Step } from './wire-case.js'

export interface Running {
  port: number
  /** What stands before the sidecar's paths. */
  prefix?: string
  /** The file it was started with. */
  file?: string | undefined
  stop(): Promise<void>
}

export interface Target {
  name: string
  /** Our sidecar, which answers like the real one unless a step says otherwise. */
  ours: boolean
  /** The release of the real sidecar. */
  release?: string | undefined
  /** A mock has no port, no file, and no bytes on its connections: only `send.ts` and `watchers.ts` reach it. */
  isMock?: boolean
  start(setup?: Setup): Promise<Running>
}

/** The one gate that cases set. */
export const gatesOf = (gates?: string): Record<string, boolean> =>
  gates ? { CountsAndLists: !/=false$/.test(gates) } : {}

/** Our sidecar in local mode. */
export const oursLocal: Target = {
  name: 'our sidecar',
  ours: true,
  async start(setup = {}) {
    const folder = setup.file === undefined ? undefined : await mkdtemp(join(tmpdir(), 'contract-'))
    const file = folder && join(folder, 'gameserver.yaml')
    if (file) await writeFile(file, setup.file ?? '')
    const featureGates = gatesOf(setup.gates)
    // The page at `/_/` is ours alone; without it, that path is answered as every unknown one.
    const sidecar = await createLocalSidecar({ mode: 'local', port: 0, file, featureGates, dashboard: false })
    return {
      port: sidecar.port,
      file,
      async stop() {
        await sidecar.close()
        if (folder) await rm(folder, { recursive: true, force: true })
      },
    }
  },
}

/** The mock in local mode. It reads no files. */
export const mockLocal: Target = {
  name: 'the mock',
  ours: true,
  isMock: true,
  start: ({ gates } = {}) => Promise.resolve(startMock({ mode: 'local', featureGates: gatesOf(gates) }, 10)),
}

/** The real sidecars in their local mode. */
export const realLocal: readonly Target[] = binaries.map((binary) => ({
  name: `the real sidecar ${binary.release}`,
  ours: false,
  release: binary.release,
  start: (setup) => startRealSidecar(binary, setup),
}))

/** Without a real sidecar a suite says loudly that it compared nothing. */
export const announceMissing = (suite: string): void => {
  if (binaries.length > 0) return
  const message = `SKIPPED: ${suite} was not compared with a real sidecar (SDK_SERVERS names no binary)`
  console.warn(message)
  describe(`${suite}: the real sidecar`, () => it.skip(message, () => undefined))
}

/** Our local mode, and the real sidecars that it must equal. */
export const localTargets: readonly Target[] = [oursLocal, ...realLocal]

export interface Pool {
  take(setup?: Setup): Promise<Running>
  giveBack(running: Running, isAsNew: boolean): Promise<void>
  close(): Promise<void>
}

/** Calls that leave the GameServer of a sidecar as it was when that started. */
export const changesNothing = ({ call, expect }: Pick<Step, 'call' | 'expect'>): boolean =>
  expect.status !== 200 || /^GET |^POST \/(ready|health)$/.test(call)

/**
 * Starts targets for one case after another. A process costs far more than a call, so a sidecar is used again after cases
 * that have changed nothing.
 */
export const createPool = (target: Target): Pool => {
  const idle: Running[] = []
  const special = new Set<Running>()
  return {
    async take(setup) {
      const used = setup ? undefined : idle.pop()
      if (used) return used
      const running = await target.start(setup)
      if (setup) special.add(running)
      return running
    },
    async giveBack(running, isAsNew) {
      if (isAsNew && !special.has(running)) idle.push(running)
      else await running.stop()
    },
    async close() {
      await Promise.all(idle.splice(0).map((running) => running.stop()))
    },
  }
}
