export interface BuildOptions {
  /** Default: this checkout. */
  root?: string
  /** Build also if `dist` is up to date. */
  force?: boolean
  /** What to build: all, or only what a demo runs. */
  target?: '' | 'demo'
}
export function buildIfStale(options?: BuildOptions): Promise<void>
export function buildForCommand(): Promise<void>
