import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'

/** What finding a browser asks of the machine. */
export interface System {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly isRoot: boolean
  /** Whether there is a file that this user may run. */
  isProgram(path: string): boolean
  /** The start of a script, or nothing for any other file. */
  scriptAt(path: string): string | undefined
  /** Says what is at a path that is no program. */
  describePath(path: string): string
  readText(path: string): string | undefined
  /** Names in a folder, in order; none if it isn't there. */
  list(folder: string): readonly string[]
}

const SCRIPT_BYTES = 16_384

export const thisSystem: System = {
  platform: process.platform,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  isProgram: (path) => problemWith(path) === undefined,
  describePath: (path) => problemWith(path) ?? 'a program',
  scriptAt(path) {
    const start = attempt(() => {
      const file = openSync(path, 'r')
      try {
        const buffer = Buffer.alloc(SCRIPT_BYTES)
        return buffer.toString('utf8', 0, readSync(file, buffer))
      } finally {
        closeSync(file)
      }
    })
    return start?.startsWith('#!') ? start : undefined
  },
  readText: (path) => attempt(() => readFileSync(path, 'utf8')),
  list: (folder) => attempt(() => readdirSync(folder).sort()) ?? [],
}

function problemWith(path: string): string | undefined {
  const found = attempt(() => statSync(path))
  if (found === undefined) return 'not there'
  if (!found.isFile()) return found.isDirectory() ? 'a folder' : 'no file'
  const mayRun = attempt(() => {
    accessSync(path, constants.X_OK)
    return true
  })
  return mayRun ? undefined : 'not executable'
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
