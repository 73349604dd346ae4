export declare function buildPlayground(outDir: string): Promise<void>
