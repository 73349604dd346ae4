export declare function buildPlayground(outDir: string): Promise<ReadonlySet<string>>
