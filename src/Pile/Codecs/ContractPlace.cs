// A place of a contract, whose formatter is found at its first use, so that contracts may contain each other.
// That there is one was checked when the codec was made (ContractFormatters.Check).
namespace Pile.Codecs;

/// <summary>A place of type T.</summary>
internal sealed class ContractPlace<T>
{
    private ContractFormatter<T>? _formatter;

    internal ContractFormatter<T> Formatter => _formatter ??= ContractFormatters.Of<T>();
}
