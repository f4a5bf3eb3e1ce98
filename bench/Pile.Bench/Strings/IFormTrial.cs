namespace Pile.Bench.Strings;

/// <summary>A form bound to a sample.</summary>
internal interface IFormTrial
{
    /// <summary>The form's name.</summary>
    string Name { get; }

    /// <summary>Bytes of a text, on average.</summary>
    double BytesPerText { get; }

    /// <summary>Proves that every text comes back, and warms up both loops.</summary>
    void Prepare();

    /// <summary>Writes texts.</summary>
    long Write(int first, int count);

    /// <summary>Reads texts.</summary>
    long Read(int first, int count);
}
