/**
 * Welch's t of two series of samples: how far apart their means are, in standard errors. Beyond ±4.5 they are held to
 * differ (Reparaz, Balasch, Verbauwhede: "Dude, is my code constant time?", DATE 2017).
 */
export function welchT(a: readonly number[], b: readonly number[]): number {
  const [left, right] = [momentsOf(a), momentsOf(b)];
  return (left.mean - right.mean) / Math.sqrt(left.variance / a.length + right.variance / b.length);
}

function momentsOf(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
