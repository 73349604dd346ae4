export function apiReports(root: string): Record<string, string>
