// The timing of one call of a factory: nothing where nobody listens.
// CacheMetrics begins and ends it.
using System.Diagnostics;

namespace Pile.Cache;

/// <summary>A call of a factory that is being timed.</summary>
/// <param name="Activity">Its activity; null where nobody listens.</param>
/// <param name="Began">Its time stamp; 0 where nobody listens.</param>
internal readonly record struct FactoryTiming(Activity? Activity, long Began);
