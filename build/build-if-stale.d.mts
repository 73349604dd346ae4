export interface BuildOptions {
  /** Default: this checkout. */
  root?: string
  /** Build also if `dist` is up to date. */
  force?: boolean
}
export function buildIfStale(options?: BuildOptions): Promise<void>
