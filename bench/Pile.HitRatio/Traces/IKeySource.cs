namespace Pile.HitRatio.Traces;

/// <summary>Draws which of a number of keys is asked for next.</summary>
internal interface IKeySource
{
    /// <summary>The number of the key, from 0.</summary>
    long Next();
}
