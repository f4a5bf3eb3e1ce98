// Which of a type's plans a pile uses. All write and read the same bytes; tests hold them against each other.
// Programs need not choose: Auto is reflection first, compiled code once a type has proved its worth.
namespace Pile.Codecs;

/// <summary>How fields are reached.</summary>
internal enum PlanMode
{
    /// <summary>By generated code where there is some; else by reflection first, and by compiled code after a number of uses, where the
    /// runtime can compile.</summary>
    Auto,

    /// <summary>By generated code where there is some, else by compiled code from the first use.</summary>
    Generated,

    /// <summary>Always by reflection.</summary>
    Reflection,

    /// <summary>By compiled code from the first use.</summary>
    Emitted,
}
