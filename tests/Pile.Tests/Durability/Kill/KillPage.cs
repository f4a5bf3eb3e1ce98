namespace Pile.Tests.Durability.Kill;

/// <summary>An object of the typed lane: its content in parts that the codec stores apart. Only the child stores it; who looks at what
/// the child left has the type in another assembly, and reads descriptions.</summary>
internal sealed class KillPage
{
    public string Head { get; set; } = string.Empty;

    public string Body { get; set; } = string.Empty;

    public KillPage? Next { get; set; }
}
