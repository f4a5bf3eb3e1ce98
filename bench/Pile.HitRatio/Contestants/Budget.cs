namespace Pile.HitRatio.Contestants;

/// <summary>What a contestant may hold. All of one race get the same.</summary>
/// <param name="CacheBytes">Bytes for everything: keys, values, and what is beside them.</param>
/// <param name="ChargeBytes">Bytes that an object takes beyond its key and its value. The simulators count it for each object; a real
/// cache counts what it really uses.</param>
internal readonly record struct Budget(long CacheBytes, int ChargeBytes)
{
    /// <summary>Bytes of a key: all are 8 bytes, hashed when the trace has text.</summary>
    internal const int KeyBytes = sizeof(ulong);

    /// <summary>Bytes that an object is counted with.</summary>
    internal long CostOf(int valueBytes) => CostOf(valueBytes, ChargeBytes);

    /// <summary>Bytes that an object is counted with under a charge.</summary>
    internal static long CostOf(int valueBytes, int chargeBytes) => (long)KeyBytes + valueBytes + chargeBytes;
}
