export function buildIfStale(beforeBuild?: () => void): Promise<void>
